# Steward. `make` alone prints this help; each target says what it is for behind its two hashes.
SHELL := /bin/sh
.DEFAULT_GOAL := help
CHECKS := check-types check-console-types check-console-test-types check-style
.PHONY: help run test test-quick test-all screenshots test-lts test-next test-firefox mutation fuzz soak fleet-test system-test vm-test vm-image bench build newer-runtimes install uninstall install-publisher uninstall-publisher man docs sizes dashboard api-reference api-clients api-released check $(CHECKS) format clean packages ready package reproduce

NODE_MODULES := node_modules/.stamp
DIST := dist/.stamp
SOURCES := $(shell find src scripts/build scripts/build.ts scripts/stamp.ts scripts/packages-in-bundles.ts scripts/build-addon.ts scripts/build-console.ts scripts/build-shell-files.ts scripts/manual-page.ts scripts/host-file-page.ts scripts/rescue-page.ts docs README.md CHANGELOG.md SECURITY.md scripts/roff.ts scripts/docs/host-file-members.ts scripts/docs/pages.ts -type f) package.json
PREFIX := /usr
PLACE = --destination "$(DESTDIR)" --prefix "$(PREFIX)"
TESTS = $(shell find test -name '*.test.ts' | sort)
# Single parts, and agents within the test's process. Left out is what starts other programs or a device, cuts the power or
# fills a disk.
QUICK = $(filter-out $(foreach slow,accounts/oidc clock/daemons host/nts host/transfers http/abuse updates/attacks,test/$(slow)/%),$(shell \
	find $(addprefix test/,accounts certificates cli/client cli/events cli/system cli/updates cli/users clock contract \
	device/configuration figures host http journal/events journal/logs outbox programs/host-file releases store/documents \
	store/files store/validation system terminal tuf updates) -name '*.test.ts' | sort))
# Walks, and screens where browsers differ: dialogs one above the other, files that are dropped, what is in sight, paper.
IN_FIREFOX = $(shell find test/console/walks -name '*.test.ts' | sort) \
	$(patsubst %,test/console/%.test.ts,adding-several every-page face frame kept log-facets print)
PICTURED = $(shell grep -rlE "\bpicture\b|looks\.(keep|draw)\b" --include='*.test.ts' test/console)

help: ## print this help
	@echo "Steward: the operations agent of a Linux appliance"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 22

run: $(DIST) ## start the agent on http://127.0.0.1:8470 with its state in ./var
	@node --import tsx lab/run/main.ts

test: BESIDE = newer-runtimes
test: packages ready ## install what is needed, check the sources and run every test
	@sh scripts/run-tests.sh node $(TESTS)

test-quick: packages $(DIST) ## run the tests that are first to notice most faults: single parts, and agents within their process
	@sh scripts/run-tests.sh node $(QUICK)

test-all: export STEWARD_TEST_ALL = 1
test-all: packages ready ## the same with all of each test's cases, and with new random numbers
	@sh scripts/run-tests.sh node $(TESTS)
	@$(MAKE) --no-print-directory test-firefox
	@STEWARD_TEST_ALL= $(MAKE) --no-print-directory mutation

screenshots: packages $(DIST) ## keep pictures of the console's pages in var/screenshots
	@STEWARD_SCREENSHOTS=1 sh scripts/run-tests.sh node $(PICTURED)

test-firefox: export STEWARD_BROWSER = firefox
test-firefox: packages ready ## walk through the console in Firefox, as three people do, and try the screens where browsers differ
	@sh scripts/run-tests.sh node $(IN_FIREFOX)

mutation: packages $(DIST) ## put faults into the code, and count those that tests notice; STEWARD_MUTANTS=all, ROOMS="accounts"
	@node --import tsx lab/mutation/main.ts "$$(sh scripts/registry-packages.sh instrumenter @stryker-mutator/instrumenter@9.6.1)" $(ROOMS)

fuzz: export STEWARD_TEST_ALL = 1
fuzz: packages $(DIST) ## send bad, nearly good and good input to an agent and to its readers; STEWARD_SEED, STEWARD_CASES for other numbers of requests
	@sh scripts/run-tests.sh node lab/fuzz/agent.test.ts test/fuzz/readers.test.ts

soak: packages $(DIST) ## load an agent for SOAK_MINUTES (30), and judge its memory, open files and state
	@node --import tsx lab/soak/main.ts

test-lts: packages $(DIST) check ## the same tests on the LTS runtime that is shipped, from the registry
	@sh scripts/run-tests.sh "$$(sh scripts/runtime.sh lts)" $(TESTS)

test-next: packages $(DIST) check ## the same tests on the runtime that becomes the next LTS
	@sh scripts/run-tests.sh "$$(sh scripts/runtime.sh next)" $(TESTS)

fleet-test: packages $(DIST) ## run the agent beside other makers' programs of a fleet, as root; SUBJECTS="metrics" for some
	@sh scripts/packages.sh fleet-test
	@node --import tsx lab/fleet/main.ts $(SUBJECTS)

system-test: $(DIST) ## run the scenarios in containers with a real systemd, as root; SCENARIOS="disk guard" for some
	@sh scripts/packages.sh system-test
	@node --import tsx lab/machines/main.ts container $(SCENARIOS)

vm-test: $(DIST) ## run the scenarios in the appliance machine; SCENARIOS="boots clock-slew" for some
	@sh scripts/packages.sh vm-test
	@node --import tsx lab/machines/main.ts vm $(SCENARIOS)

vm-image: $(NODE_MODULES) ## build the appliance machine's image alone, which takes root
	@sh scripts/packages.sh vm-test
	@node --import tsx lab/machines/main.ts vm --build-only

bench: packages $(DIST) ## print what the agent costs on this Node, the LTS and the next one, against peers; write var/bench.json
	@sh scripts/packages.sh bench
	@node --import tsx lab/bench/main.ts "$$(sh scripts/runtime.sh lts)" "$$(sh scripts/runtime.sh next)"
	@echo
	@node --import tsx lab/bench/dependencies.ts
	@echo
	@node --import tsx lab/bench/console.ts
	@echo
	@node --import tsx lab/bench/servers.ts "$$(sh scripts/runtime.sh lts)" "$$(sh scripts/runtime.sh next)"

reproduce: package ## build the packages of the last commit again, in another place, and compare the bytes
	@sh scripts/package/reproduce.sh $(MACHINES)

build: $(DIST) ## build dist/

install: $(DIST) ## install below DESTDIR and PREFIX (default /usr); RUNTIME=FILE brings a Node along, TIMEKEEPER=no leaves the clock to others
	@node --import tsx scripts/install/main.ts $(PLACE) --runtime "$(RUNTIME)" --timekeeper "$(TIMEKEEPER)"

uninstall: $(NODE_MODULES) ## remove what make install has put there; state and settings stay
	@node --import tsx scripts/install/main.ts --remove $(PLACE)

install-publisher: $(DIST) ## install the publisher's program, steward-publisher, below DESTDIR and PREFIX
	@node --import tsx scripts/install/main.ts --publisher $(PLACE)

uninstall-publisher: $(NODE_MODULES) ## remove what make install-publisher has put there; repositories stay
	@node --import tsx scripts/install/main.ts --publisher --remove $(PLACE)

package: $(NODE_MODULES) ## build the Debian packages in dist-packages/; MACHINES=amd64 for one kind of machine
	@sh scripts/packages.sh package $(MACHINES)
	@node --import tsx scripts/package/main.ts $(MACHINES)

man: $(DIST) ## show the manual page, which the build makes of the table of commands
	@man -l dist/man/steward.8

docs: $(NODE_MODULES) ## write the tables in docs/ anew, from the contract and the table of commands
	@node --import tsx scripts/docs/main.ts

sizes: $(NODE_MODULES) ## print how many lines device, publisher and proof have, and their bounds
	@node --import tsx scripts/sizes.ts

dashboard: $(NODE_MODULES) ## write the dashboard for Grafana and the tests of the alerts into var/
	@node --import tsx scripts/monitoring/dashboard.ts
	@node --import tsx scripts/monitoring/alerts-tests.ts

api-reference: $(NODE_MODULES) ## write the API reference as one HTML page, var/api-reference.html
	@node --import tsx scripts/docs/api-reference.ts

api-clients: $(DIST) ## generate clients for the API by two generators, compile them and run them against an agent
	@node --import tsx lab/api/clients/main.ts "$$(sh scripts/registry-packages.sh api-clients openapi-typescript@7.13.0 openapi-fetch@0.17.0 @hey-api/openapi-ts@0.91.0 typescript@5.9.3)"

api-released: $(NODE_MODULES) ## keep the API as it is now as the released one, which later ones may only add to
	@node --import tsx scripts/api/released.ts

# Each alone leaves processors idle; what each says stays together.
AT_ONCE = $(MAKE) --no-print-directory --jobs --output-sync=target

check: ## types and style
	@$(AT_ONCE) $(CHECKS)

ready:
	@$(AT_ONCE) $(DIST) $(CHECKS) $(BESIDE)

newer-runtimes:
	@sh scripts/newer-runtimes.sh

check-types: $(NODE_MODULES)
	@node_modules/.bin/tsc --singleThreaded -p .

check-console-types: $(NODE_MODULES)
	@node_modules/.bin/tsc --singleThreaded -p src/console

check-console-test-types: $(NODE_MODULES)
	@node_modules/.bin/tsc --singleThreaded -p test/console

check-style: $(NODE_MODULES)
	@node_modules/.bin/biome check --error-on-warnings .

format: $(NODE_MODULES) ## put the sources into their form
	@node_modules/.bin/biome check --write .

packages: ## install the Debian packages that the tests need, or say which are missing
	@sh scripts/packages.sh test
	@sh scripts/unpack-chrony.sh >/dev/null

clean: ## remove what was built and installed here; ./var stays
	rm -rf dist dist-publisher dist-packages node_modules .cache

$(NODE_MODULES): package.json package-lock.json .npmrc
	@npm ci --ignore-scripts --no-progress --loglevel=error
	@touch $@

$(DIST): $(NODE_MODULES) $(SOURCES)
	@node --import tsx scripts/build.ts
	@touch $@
