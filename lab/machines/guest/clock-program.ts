/**
 * clock_gettime(2) and adjtimex(2) by their numbers on x86-64, for the Perl that every Debian has: Node reads no finer
 * than a millisecond, and a scenario must not judge the agent by the agent's own addon. Arguments: `sample SECONDS
 * INTERVAL`, `read`, `synchronised SECONDS` (waits for the kernel's flag, and prints CLOCK_MONOTONIC), `step SECONDS`, `exchange HOST PORT COUNT` (NTP, RFC 5905: the offset of the
 * exchange with the shortest delay, and that delay). The middle one of three reads is bracketed by the outer two; the
 * tightest of five goes into the sample, because an emulated processor can be away for milliseconds.
 */
export const clockProgram = String.raw`
use strict;
sub clock { my $b = "\0" x 16; syscall(228, $_[0], $b) == 0 or die "clock_gettime: $!"; my ($s, $n) = unpack("qq", $b); $s * 1000000000 + $n }
sub timex {
  my %of = @_;
  my $b = pack("L x4 q4 l x4 q3 q2 q", $of{modes} || 0, 0, $of{frequency} || 0, 0, 0, 0, 0, 0, 0, $of{seconds} || 0, $of{nanoseconds} || 0, 0) . "\0" x 160;
  my $state = syscall(159, $b);
  $state >= 0 or die "adjtimex: $!";
  my (undef, $offset, $frequency, $maximum, $estimate, $status) = unpack("L x4 q4 l", $b);
  return "$state $offset $frequency $maximum $estimate $status\n";
}
my ($verb, $first, $second) = @ARGV;
$| = 1;
if ($verb eq "read") { print timex() }
elsif ($verb eq "synchronised") {
  my $end = clock(4) + $first * 1e9;
  while (clock(4) < $end) {
    my ($state, undef, undef, undef, undef, $status) = split / /, timex();
    if ($state != 5 && !($status & 0x40)) { print clock(1), "\n"; exit }
    select(undef, undef, undef, 0.02);
  }
  die "not synchronised in $first s";
}
elsif ($verb eq "step") {
  my $seconds = int($first) - ($first < int($first) ? 1 : 0);
  print timex(modes => 0x2100, seconds => $seconds, nanoseconds => int(($first - $seconds) * 1e9 + 0.5));
}
elsif ($verb eq "sample") {
  my $end = clock(4) + $first * 1e9;
  while (clock(4) < $end) {
    my ($best, $row);
    for (1 .. 5) {
      my $before = clock(1); my $real = clock(0); my $raw = clock(4); my $after = clock(1);
      next if defined $best && $after - $before >= $best;
      $best = $after - $before;
      $row = sprintf("%d %d %d", $real, $before + int($best / 2), $raw);
    }
    print "$row\n";
    select(undef, undef, undef, $second);
  }
}
elsif ($verb eq "exchange") {
  my (undef, $host, $port, $count) = @ARGV;
  require IO::Socket::INET;
  my $socket = IO::Socket::INET->new(Proto => "udp", PeerAddr => $host, PeerPort => $port) or die "no socket: $!";
  my $epoch = 2208988800;
  my ($offset, $delay);
  for my $number (1 .. $count) {
    my $cookie = pack("NN", $number, $$);
    my $request = pack("C x39", 0x23) . $cookie;
    my $sent = clock(0);
    send($socket, $request, 0);
    my $ready = ""; vec($ready, fileno($socket), 1) = 1;
    next unless select($ready, undef, undef, 1);
    recv($socket, my $reply, 128, 0);
    my $received = clock(0);
    next unless length($reply) >= 48 && substr($reply, 24, 8) eq $cookie;
    my ($arrival, $arrivalPart, $departure, $departurePart) = unpack("NNNN", substr($reply, 32, 16));
    my ($second, $third) = map { ($_->[0] - $epoch) * 1000000000 + int($_->[1] * 1e9 / 4294967296) } [$arrival, $arrivalPart], [$departure, $departurePart];
    my $trip = ($received - $sent) - ($third - $second);
    ($offset, $delay) = ((($second - $sent) + ($third - $received)) / 2, $trip) if !defined $delay || $trip < $delay;
    select(undef, undef, undef, 0.05);
  }
  die "no answer" unless defined $delay;
  printf("%.0f %.0f\n", $offset, $delay);
}
else { die "no verb of ours: $verb" }
`;
