# `make help` lists the commands.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Debian 12. The C libraries, then what only the tests and the bench need.
packages := libargon2-dev libcbor-dev libcrypt-dev libcurl4-openssl-dev libicu-dev libmicrohttpd-dev libphonenumber-dev libpq-dev libpsl-dev \
	libqrencode-dev libsqlite3-dev libssl-dev libxml2-dev libxmlsec1-dev libzmq3-dev pkg-config
tools := curl fish git iproute2 librsvg2-bin nodejs oathtool openssl patch postgresql procps python3-venv systemd wrk xmlsec1 zbar-tools zsh

# What makes packages and images, and what judges them.
packaging := debhelper fakeroot mmdebstrap po-debconf
judges := bubblewrap lintian skopeo umoci

# What fails over in the tests of cells.
clustering := etcd-server haproxy nginx-light patroni pgbouncer

cluster := /etc/postgresql-common/createcluster.conf

# The standard library goes in, what nobody calls stays out, and relocations are packed: each process pays for its pages.
# Symbols are bound at the start, so that their table is read-only from then on (full RELRO). Nobody loads a library that
# needs ours. (Security rule DH2.)
# What runs at a start and in idle is beside each other (deploy/link-order, which `make link-order` writes).
link := -use-ld=lld -Xlinker --no-export-dynamic -Xlinker --as-needed -Xlinker --icf=safe \
	-Xlinker --symbol-ordering-file=deploy/link-order -Xlinker --no-warn-symbol-ordering \
	$(foreach word,pack-relative-relocs relro now,-Xlinker -z -Xlinker $(word))
# A section for each function lets the linker merge equal ones and leave out more. The compiler knows the witnesses of generic types,
# which the runtime would otherwise search among all conformances of the executable, a fifth of a start.
code := $(foreach option,function-sections disable-concrete-type-metadata-mangled-name-accessors,-Xfrontend -$(option))
release := swift build -c release --static-swift-stdlib $(addprefix -Xswiftc ,$(code) $(link))
sources := Package.swift Shared Services Tests
venv := .build/venv
requirements := $(wildcard Tests/*/requirements.txt)
SECONDS := 60
SWITCHES := 2
SEEDS := 2000
PART := bus
SEED :=
STEPS :=
INPUT :=
TARGETS :=
# The folder of an existing build, for what would make a release build otherwise.
BINARIES :=

.PHONY: deps deps-cells build run test test-axe test-cells test-faults test-one-process test-install test-interleavings simulate simulate-coverage test-planted deb image release bench link-order lint docs pictures fuzz fuzz-merge settings clean help

deps: ## Installs the Debian packages that are missing.
	@command -v swift > /dev/null || { echo "Swift is missing: see https://www.swift.org/install/linux/" >&2; exit 1; }
	@missing=(); for package in $(packages) $(tools); do
	@	[[ "$$(dpkg-query -W -f '$${Status}' "$$package" 2> /dev/null)" == *" installed" ]] || missing+=("$$package")
	@done
	@if ((!$${#missing[@]})); then exit 0; fi
	@as_root=(); if ((EUID)); then as_root=(sudo); fi
	@if ! command -v apt-get > /dev/null || { ((EUID)) && ! command -v sudo > /dev/null; }; then
	@	echo "These packages are missing, and there is no permission to install them: $${missing[*]}" >&2; exit 1
	@fi
	@echo "Installing $${missing[*]}"
	@"$${as_root[@]}" apt-get update -q
	# Debian's package would make a database of its own and start it on port 5432; the tests bring theirs.
	@"$${as_root[@]}" mkdir -p /etc/postgresql-common
	@[[ -e $(cluster) ]] || "$${as_root[@]}" tee $(cluster) <<< 'create_main_cluster = false' > /dev/null
	@"$${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$${missing[@]}"
	# The tests start these themselves; their packages would serve ports from now on.
	@for service in nginx prometheus etcd haproxy patroni pgbouncer; do
	@	if [[ " $${missing[*]} " == *" $$service"* && -d /run/systemd/system ]]; then
	@		"$${as_root[@]}" systemctl disable --now "$$service"
	@	fi
	@done

build: deps ## Builds every executable for use, in .build/release.
	@$(release)
	@binaries=$$($(release) --show-bin-path)
	@for folder in Services/*/Run; do
	@	executable=$$binaries/$$(basename "$$(dirname "$$folder")")
	@	if ! readelf --dynamic "$$executable" | grep BIND_NOW > /dev/null; then
	@		echo "$$executable is not linked with -z now, so its RELRO is not full." >&2; exit 1
	@	fi
	@done

run: build ## Installs, builds, and starts the mesh in development mode on http://127.0.0.1:9099.
	@exec "$$($(release) --show-bin-path)/latchkey" up --dev

# A browser is large, and only the tests of pages start one. nginx stands in front of the mesh of one suite, and Prometheus
# reads the metrics of another one.
test: tools += chromium chromium-driver nginx-light prometheus
test: deps $(venv)/ready ## Runs every test, also after a failure: units, meshes, the guides, and the suites in Python on a real mesh; ends with a table.
	@swift build --build-tests
	@export PATH="$(CURDIR)/$(venv)/bin:$$PATH"
	@Tests/run "$$(swift build --show-bin-path)"

# Each page in one language and one look is part of `make test`.
test-axe: tools += chromium
test-axe: deps $(venv)/ready ## Checks the accessibility of every page in every language and look; BINARIES=DIR takes an existing build.
	@binaries="$(BINARIES)"
	@if [[ -z "$$binaries" ]]; then swift build --product latchkey; binaries=$$(swift build --show-bin-path); fi
	@export PATH="$(CURDIR)/$(venv)/bin:$$PATH" AXE_PAGES=all
	@failed=0
	@for suite in Pages Console; do Tests/$$suite/run "$$binaries" test_axe.py -n 2 || failed=1; done
	@exit $$failed

# Those that neither kill single processes nor start several of one service, as Mail and Push do.
one_process = Tour Conformance Passkeys Providers Pages Console

test-one-process: deps $(venv)/ready ## Runs suites in Python against meshes in one process; BINARIES=DIR takes an existing build.
	@binaries="$(BINARIES)"
	@if [[ -z "$$binaries" ]]; then swift build; binaries=$$(swift build --show-bin-path); fi
	@export PATH="$(CURDIR)/$(venv)/bin:$$PATH" LATCHKEY_ONE_PROCESS=1
	@failed=0
	@for suite in $(one_process); do Tests/$$suite/run "$$binaries" || failed=1; done
	@exit $$failed

deps-cells: tools += $(clustering)
deps-cells: deps ## Installs what the tests of cells need besides: Patroni, etcd, haproxy, nginx, PgBouncer.

test-cells: deps-cells $(venv)/ready ## Runs two meshes on one PostgreSQL, and fails it over, with Patroni, haproxy and PgBouncer, as root; BINARIES=DIR takes an existing build.
	@binaries="$(BINARIES)"
	@if [[ -z "$$binaries" ]]; then swift build; binaries=$$(swift build --show-bin-path); fi
	@export PATH="$(CURDIR)/$(venv)/bin:$$PATH"
	@Tests/Cells/run "$$binaries" -m ''

test-faults: deps $(venv)/ready ## Takes the power from a mesh at many moments, and makes its disk fail at each call; BINARIES=DIR takes an existing build.
	@binaries="$(BINARIES)"
	@if [[ -z "$$binaries" ]]; then swift build; binaries=$$(swift build --show-bin-path); fi
	@export PATH="$(CURDIR)/$(venv)/bin:$$PATH"
	@Tests/Faults/run "$$binaries" -m ''

# In place of a folder of executables: the one that is given, or that of a release build.
built = binaries="$(BINARIES)"; if [[ -z "$$binaries" ]]; then $(release); binaries=$$($(release) --show-bin-path); fi

test-install: tools += $(packaging) $(judges)
test-install: deps $(venv)/ready ## Makes the package and the image, and installs Latchkey in every way; BINARIES=DIR takes an existing build.
	@$(built)
	@export PATH="$(CURDIR)/$(venv)/bin:$$PATH"
	@Tests/Install/run "$$binaries" -m ''

deb: tools += $(packaging)
deb: deps ## Makes the packages for Debian 12 in .build/packages; BINARIES=DIR takes an existing build.
	@$(built)
	@rm -rf .build/packages
	@deploy/debian/build "$$binaries" .build/packages

image: tools += $(packaging)
image: deps $(venv)/ready ## Makes the container image, and the lists of its components, in .build/image; BINARIES=DIR takes an existing build.
	@$(built)
	@export PATH="$(CURDIR)/$(venv)/bin:$$PATH"
	@rm -rf .build/image
	@deploy/image/build "$$(deploy/debian/build "$$binaries" .build/image | grep -v dbgsym)" .build/image

release: tools += $(packaging)
release: deps $(venv)/ready ## Makes packages, image, lists of components, notes and checksums in .build/publish; BINARIES=DIR takes an existing build.
	@$(built)
	@export PATH="$(CURDIR)/$(venv)/bin:$$PATH"
	@deploy/release "$$binaries" .build/publish

# The parts of services that it puts together are no interfaces.
simulation := swift build -c release -Xswiftc -enable-testing -Xswiftc -DTESTABLE --scratch-path .build/simulation --product simulation

simulate: deps ## Runs the PART=bus, PART=deliveries or PART=accounts in simulation: the run of SEED=NUMBER or INPUT=FILE again, those of SEEDS=2000 seeds, or as many as have STEPS=NUMBER steps.
	@$(simulation)
	@SWIFT_DETERMINISTIC_HASHING=1 .build/simulation/release/simulation --part $(PART) \
		$(or $(strip $(if $(INPUT),--input '$(INPUT)') $(if $(SEED),--seed $(SEED)) $(if $(STEPS),--steps $(STEPS)) \
			$(if $(filter command environment,$(origin SEEDS)),--seeds $(SEEDS))),--seeds $(SEEDS))

simulate-coverage: SEEDS := 25
simulate-coverage: deps ## Runs SEEDS=25 seeds of every part in simulation, and prints how much of each service they reach.
	@Tests/Simulation/run-coverage $(SEEDS)

test-planted: deps ## Plants each defect of Tests/Simulation/Planted in a copy of the sources; the simulation must find it.
	@Tests/Simulation/run-planted

test-interleavings: deps ## Runs each two methods of a store beside each other, in all orders with at most SWITCHES=2 changes, or in all.
	@swift build --build-tests
	@LATCHKEY_INTERLEAVINGS=$(SWITCHES) swift test --skip-build --filter 'InterleavingTests/everyPair'

bench: deps ## Builds for use and prints the table of figures; COMPARE=COMMIT prints the ratios to that commit instead.
	@$(release)
	@binaries=$$($(release) --show-bin-path)
	@if [[ -z "$(COMPARE)" ]]; then exec Tests/Bench/run "$$binaries"; fi
	@commit=$$(git rev-parse --verify --end-of-options "$(COMPARE)^{commit}")
	@other=.build/compare/$$commit
	@if [[ ! -d "$$other/Shared" ]]; then mkdir -p "$$other"; git archive "$$commit" | tar -x -C "$$other"; fi
	# Commits before the list was there.
	@[[ -e "$$other/deploy/link-order" ]] || : > "$$other/deploy/link-order"
	@$(release) --package-path "$$other"
	@exec Tests/Bench/compare "$$binaries" "$$($(release) --package-path "$$other" --show-bin-path)"

link-order: deps ## Writes the order of functions in the executables, deploy/link-order, from a mesh that valgrind runs: ten minutes.
	@$(release)
	@exec Tests/Bench/link-order "$$($(release) --show-bin-path)"

lint: docs ## Checks the form of every source and script and the references of the libraries; for the compiler every warning is an error.
	@for script in Services/gateway/Scripts/*.js; do node --check "$$script"; done
	@swift format lint --strict --recursive $(sources) docs/use/example docs/use/samples

docs: ## Builds the references of LatchkeyAuth, LatchkeyAdmin and LatchkeyTestKit in .build/docc; a link to nothing is an error.
	@imports=$$(find Shared/CLibraries \( -name module.modulemap -printf '-I %h ' \) -o \( -type d -name include -printf '-I %p ' \))
	@for module in LatchkeyAuth LatchkeyAdmin LatchkeyTestKit; do
	@	swift build --target "$$module"
	@	graph=.build/docc/graph/$$module
	@	rm -rf "$$graph" ".build/docc/$$module.doccarchive"
	@	mkdir -p "$$graph"
		# From the module that was compiled: its tests and this target share one build.
	@	swift symbolgraph-extract -module-name "$$module" -I "$$(swift build --show-bin-path)/Modules" $$imports \
			-target "$$(uname -m)-unknown-linux-gnu" -minimum-access-level public -skip-inherited-docs -output-dir "$$graph"
	@	docc convert "Shared/$$module/$$module.docc" --additional-symbol-graph-dir "$$graph" \
			--output-path ".build/docc/$$module.doccarchive" --fallback-display-name "$$module" \
			--fallback-bundle-identifier "$$module" --warnings-as-errors
	@done

pictures: tools += chromium pngquant
pictures: deps $(venv)/ready ## Takes the pictures in docs/pictures from the pages of a mesh.
	@swift build --product latchkey
	@$(venv)/bin/python Tests/Pages/pictures "$$(swift build --show-bin-path)"

fuzz: deps ## Fuzzes every target, or TARGETS="query json", for SECONDS=60 each; executions.tsv counts what was run.
	@Tests/Fuzz/run $(SECONDS) $(TARGETS)

fuzz-merge: deps ## Makes the corpora of all TARGETS small, and adds to them what `make fuzz` has found.
	@Tests/Fuzz/run merge $(TARGETS)

settings: ## Writes docs/operate/settings.md and log-events.md, deploy/env/*.env and deploy/man/latchkey.1 from the code.
	@swift build --product latchkey
	@latchkey=$$(swift build --show-bin-path)/latchkey
	@"$$latchkey" settings markdown > docs/operate/settings.md
	@"$$latchkey" settings log-events > docs/operate/log-events.md
	@for file in deploy/env/*.env; do
	@	"$$latchkey" settings env "$$(basename "$$file" .env)" > "$$file"
	@done
	@"$$latchkey" man > deploy/man/latchkey.1

clean: ## Removes everything that was built. Data directories stay.
	@rm -rf .build

help: ## Shows this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The Python of the test suites, apart from the system's. Made anew when what it needs changes.
$(venv)/ready: $(requirements)
	@python=python3; [[ -x /usr/bin/python3 ]] && python=/usr/bin/python3
	@rm -rf $(venv)
	@"$$python" -m venv $(venv)
	@$(venv)/bin/pip install --quiet --disable-pip-version-check $(addprefix -r ,$(requirements))
	@touch $@

.ONESHELL:
