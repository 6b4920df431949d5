# Two commands do all the set-up: `make demo` and `make test`.
# Everything is installed into .venv, at the versions and hashes of requirements.lock.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
UV = $(shell command -v uv || echo $(BIN)/uv)

.PHONY: demo test nightly check unit engines googlesql spark4 test-engines fuzz kills lock docs site pictures wheel wheel-check container-check release sbom clean help

help:
	@echo "make demo    set up, then audit the embedded sample; netplan-demo.html is the same as a page"
	@echo "make test    set up, then style, types, layers and the quick test suite"
	@echo "make nightly all that make test runs, with 400 examples a property; tests marked nightly or"
	@echo "             alone, benchmarks, kills, other engines, the wheel (tests/README.md)"
	@echo "make engines flow logs on Sail, a Spark Connect server, in an environment of its own"
	@echo "make googlesql  BigQuery's statements by GoogleSQL's reference implementation (Java 17, Maven)"
	@echo "make spark4  JSON lines and lost servers on Spark 4 itself (Java 17)"
	@echo "make test-engines  all three"
	@echo "make fuzz    damaged inputs by seeds for five minutes (MINUTES=60 SEED=1: as asked)"
	@echo "make kills   stop every command at fifty moments, fill its disk, run it twice at once"
	@echo "make lock    write requirements.lock and requirements-site.lock again from pyproject.toml"
	@echo "make docs    write the generated pages again (rule reference, JSON Schemas)"
	@echo "make site    run what the documentation shows, then build it as pages in build/site"
	@echo "make pictures  take the pictures of the documentation again (Chromium)"
	@echo "make wheel   build the wheel into dist/"
	@echo "make wheel-check  every verb of the wheel at the lock's versions, the newest and the oldest"
	@echo "make container-check  the steps of the Dockerfile, without an image"
	@echo "make sbom    what the lock holds, as CycloneDX JSON in build/netplan.cdx.json"
	@echo "make release the wheel and the sdist, built twice: equal to the byte"

demo: $(READY)
	@$(BIN)/netplan audit --demo gecko --fail-on never --output text --output html:netplan-demo.html
	@echo
	@echo "The same report as a page: netplan-demo.html"

test: check unit

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy

# Compiled once, not by each of the many processes, also where the surroundings say otherwise.
unit: export PYTHONDONTWRITEBYTECODE :=
unit: export PYTHONPYCACHEPREFIX := $(abspath $(VENV))/bytecode
# As the command sets it for itself: threads of linear algebra only wait for each other.
unit: export OPENBLAS_NUM_THREADS := 1
# Side by side, the last ones taken from whoever has most left.
ALONE = $(shell grep -rl 'mark\.alone' tests --include='test_*.py')
unit: $(READY)
	@# In a new place each of the processes would compile all of it.
	@test -d "$$PYTHONPYCACHEPREFIX$(abspath tests)" || $(BIN)/python -m pytest -q --collect-only >/dev/null
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not live and not alone and not nightly"

BQEMULATOR ?= .venv-bqemulator
# First what reading flow logs costs beside its rivals: what rose is told before all else. Then all of
# the suite with many examples, the benchmarks, then those that measure rates or times.
nightly: export PYTHONDONTWRITEBYTECODE :=
nightly: export PYTHONPYCACHEPREFIX := $(abspath $(VENV))/bytecode
nightly: export OPENBLAS_NUM_THREADS := 1
nightly: $(READY)
	@$(BIN)/python benchmarks/flow_ratios.py
	$(MAKE) --no-print-directory check
	NETPLAN_TEST_BQEMULATOR=$$(test -n "$$NETPLAN_TEST_BQEMULATOR" && echo "$$NETPLAN_TEST_BQEMULATOR" \
	  || bash .ci/bqemulator.sh $(BQEMULATOR) || true) \
	$(BIN)/python -m pytest -q -n auto --dist worksteal --hypothesis-profile=long -m "not live and not alone"
	NETPLAN_TEST_IPERF3_NEW=$$(test -n "$$NETPLAN_TEST_IPERF3_NEW" && echo "$$NETPLAN_TEST_IPERF3_NEW" \
	  || bash .ci/newer_iperf3.sh $(abspath $(VENV))/newer-iperf3 || true) \
	$(BIN)/python -m pytest -q --hypothesis-profile=long -m "alone and not live" $(ALONE)
	$(MAKE) --no-print-directory kills
	$(MAKE) --no-print-directory test-engines
	$(MAKE) --no-print-directory wheel-check container-check

# Beside the environment of the lock, and kept: SAIL=FOLDER as asked.
SAIL ?= .venv-sail
engines:
	@test -x $(SAIL)/bin/sail || bash .ci/sail.sh $(SAIL)
	$(SAIL)/bin/python -m pytest -q tests/planner/traffic/spark/test_spark.py tests/planner/traffic/spark/test_spark_faults.py
	$(SAIL)/bin/python -m pytest -q tests/benchmarks -k "on_an_engine and sail"

GOOGLESQL ?= .venv-googlesql
googlesql: $(READY)
	@test -d $(GOOGLESQL)/classes || bash .ci/googlesql.sh $(GOOGLESQL)
	NETPLAN_TEST_GOOGLESQL=$(abspath $(GOOGLESQL)) $(BIN)/python -m pytest -q tests/planner/traffic/warehouse/test_googlesql.py

SPARK4 ?= .venv-spark4
spark4: $(READY)
	@test -x $(SPARK4)/bin/spark-submit || bash .ci/spark4.sh $(SPARK4) || true
	@if test -x $(SPARK4)/bin/spark-submit; then $(SPARK4)/bin/python -m pytest -q tests/planner/traffic/spark/test_spark4*.py; \
	  else echo "Spark 4 is not to be had here: its tests are skipped"; fi

# All of them; each is skipped by name where it cannot be had.
test-engines: $(READY)
	@test -x $(SAIL)/bin/sail || bash .ci/sail.sh $(SAIL) || echo "no Sail here: its tests are skipped"
	@! test -x $(SAIL)/bin/sail || $(MAKE) --no-print-directory engines
	@test -d $(GOOGLESQL)/classes || bash .ci/googlesql.sh $(GOOGLESQL) \
	  || echo "no GoogleSQL here: its tests are skipped"
	@! test -d $(GOOGLESQL)/classes || $(MAKE) --no-print-directory googlesql
	@$(MAKE) --no-print-directory spark4

# What it finds goes to tests/data/broken/, which the suite reads.
MINUTES ?= 5
SEED ?= 0
fuzz: $(READY)
	PYTHONPATH=tests $(BIN)/python -m support.damage.fuzzing --minutes $(MINUTES) --seed $(SEED) --show

TIMES ?= 50
kills: $(READY)
	PYTHONPATH=tests $(BIN)/python -m support.damage.killing --times $(TIMES) --seed $(SEED)

# Not behind the environment: the lock is what the environment is made from.
lock:
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header --group dev --output-file requirements.lock pyproject.toml
	$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header --group site --output-file requirements-site.lock

docs: $(READY)
	$(BIN)/netplan rules --markdown > rules/README.md.new && mv rules/README.md.new rules/README.md
	rm -rf docs/schemas.new && $(BIN)/python -m netplan_planner.renderers.schema docs/schemas.new \
	  && rm -rf docs/schemas && mv docs/schemas.new docs/schemas

# Strictly: a link, a heading or a page that is missing fails, as does output that is not real.
SITE := build/site
SITE_TOOLS := .venv-site
site: export OPENBLAS_NUM_THREADS := 1
site: $(READY) $(SITE_TOOLS)/.ready
	$(BIN)/python -m pytest -q -m "not live" --ignore=tests/docs/test_scale.py \
	  --ignore=tests/docs/test_site.py tests/docs
	rm -rf $(SITE) $(SITE)-pages
	PYTHONPATH=planner/scripts:tests $(BIN)/python -m docs_site $(SITE)-pages
	$(SITE_TOOLS)/bin/sphinx-build -q -n -W --keep-going -j auto -d $(SITE)-trees \
	  -c planner/scripts/docs_site $(SITE)-pages $(SITE)
	PYTHONPATH=planner/scripts:tests $(BIN)/python -m docs_site $(SITE)-pages --into $(SITE)
	NETPLAN_TEST_SITE=$(abspath $(SITE)) $(BIN)/python -m pytest -q tests/docs/test_site.py
	@echo "The documentation: $(SITE)/index.html"

$(SITE_TOOLS)/.ready: requirements-site.lock $(READY)
	$(UV) venv --quiet --clear --python $(BIN)/python $(SITE_TOOLS)
	$(UV) pip install --quiet --python $(SITE_TOOLS)/bin/python --require-hashes -r requirements-site.lock
	@touch $@

# Of the sample's page; CHROMIUM as the system calls it.
CHROMIUM ?= chromium
pictures: demo
	$(CHROMIUM) --headless --no-sandbox --hide-scrollbars --window-size=1280,900 \
	  --screenshot=docs/netplan-demo.png netplan-demo.html

wheel: $(READY)
	rm -rf dist && $(UV) build --quiet --wheel --no-build-isolation --python $(BIN)/python --out-dir dist

# Environments beside that of the lock: WHEELS=FOLDER as asked.
WHEELS ?= .venv-wheels
wheel-check: wheel
	UV=$(UV) bash .ci/wheel.sh $(WHEELS)

# The steps of the Dockerfile in a folder, without an image, and its linter.
container-check: $(READY)
	bash .ci/container.sh build/container

# The same sources make the same bytes.
release: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
release: $(READY)
	rm -rf dist && $(UV) build --quiet --no-build-isolation --python $(BIN)/python --out-dir dist
	rm -rf build/again && $(UV) build --quiet --no-build-isolation --python $(BIN)/python --out-dir build/again
	cd dist && sha256sum *.whl *.tar.gz | (cd ../build/again && sha256sum --check --quiet) && sha256sum *.whl *.tar.gz

# By the Python tool of CycloneDX, in an environment that uv keeps; the same lock makes the same bytes.
sbom: $(READY)
	@mkdir -p build
	$(UV) tool run --quiet --from cyclonedx-bom==7.5.0 cyclonedx-py requirements requirements.lock \
	  --pyproject pyproject.toml --mc-type application --output-format JSON --output-reproducible --output-file build/netplan.cdx.json

clean:
	rm -rf $(VENV) dist build

# The environment is new whenever the project file or the lock is newer than its stamp.
$(READY): pyproject.toml requirements.lock
	@PYTHON="$(PYTHON)" sh planner/scripts/make_environment.sh "$(VENV)"
	@touch $@
