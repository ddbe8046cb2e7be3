/**
 * clock_gettime(2) and adjtimex(2) by their numbers on x86-64, for the Perl that every Debian has: Node reads no finer
 * than a millisecond, and a scenario must not judge the agent by the agent's own addon. Arguments: `sample SECONDS
 * INTERVAL`, `read`, `step SECONDS`, `frequency PPM`. The middle one of three reads is bracketed by the outer two; the
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
elsif ($verb eq "step") {
  my $seconds = int($first) - ($first < int($first) ? 1 : 0);
  print timex(modes => 0x2100, seconds => $seconds, nanoseconds => int(($first - $seconds) * 1e9 + 0.5));
}
elsif ($verb eq "frequency") { print timex(modes => 2, frequency => int($first * 65536)) }
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
else { die "no verb of ours: $verb" }
`;
