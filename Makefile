# What a contributor runs. `make help` lists it; every stage prints its seconds.
SHELL := /bin/bash
.DEFAULT_GOAL := help

BIN    := bin/cairn
VENDOR := static/vendor/.stamp
STAGE  := scripts/stage

.PHONY: help run build test test-all test-go test-peer test-browser runtimes runtimes-test runtimes-record check gen assets bench clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: build ## Set everything up and run the web app
	@exec $(BIN) serve

build: $(VENDOR) ## Build the binary with its browser files
	@$(STAGE) "templ" scripts/gen
	@$(STAGE) "build" go build -trimpath -ldflags "-s -w" -o $(BIN) ./cmd/cairn

assets: ## Install the npm packages and copy the browser files, again
	@rm -f $(VENDOR)
	@$(MAKE) --no-print-directory $(VENDOR)

$(VENDOR): package.json package-lock.json scripts/assets.mjs
	@scripts/need npm "to build the browser files; install Node.js 20 or newer, which brings it. Without it, 'go run ./cmd/cairn serve' shows every page without scripts"
	@$(STAGE) "npm packages" npm ci --no-audit --no-fund --loglevel=error
	@$(STAGE) "browser files" node scripts/assets.mjs
	@touch $@

gen: ## Generate the Go code of the templ files, the support matrix and the packed recordings
	@$(STAGE) "templ" scripts/gen
	@$(STAGE) "matrix" go run ./internal/matrix/generate

check: ## Formatting, vet, staticcheck, generated code, import arrows
	@$(STAGE) "gofmt" scripts/fmt-check
	@$(STAGE) "templ drift" scripts/gen --check
	@$(STAGE) "vet" go vet ./...
	@$(STAGE) "staticcheck" go tool staticcheck ./...
	@$(STAGE) "import arrows" go test -count=1 ./internal/archtest

test: test-go test-peer test-browser ## All tests, also those that need node or a browser; the exhaustive ones on a sample

test-all: ## All tests, the exhaustive ones whole
	@CAIRN_TEST_ALL=1 $(MAKE) --no-print-directory test

test-go: ## Go tests with the race detector, and the corpus of hostile answers on the real server
	@$(STAGE) "go test" go test -p 3 -race $$(go list ./... | grep -v internal/hostile)
	@$(STAGE) "hostile answers" go test -count=1 ./internal/hostile

test-peer: $(VENDOR) ## Streams folded by the protocol's own client, to compare
	@$(STAGE) "peer" env CAIRN_PEER=1 go test -count=1 ./internal/peer

test-browser: build ## Playwright against the built binary
	@$(STAGE) "player" go build -trimpath -o bin/player ./e2e/player
	@$(STAGE) "browser" node e2e/browser.mjs
	@$(STAGE) "playwright" npx --no-install playwright test --config e2e/playwright.config.mjs

runtimes: build ## Install and start the vendors' own runtimes, and the web app with a demo on each
	@scripts/need node "to start the runtimes; install Node.js 20 or newer"
	@exec node runtimes/run.mjs -- runtimes/serve

runtimes-test: build ## Each demo in a browser on its real runtime, then the probe on all of them
	@for name in mastra strands maf langgraph; do $(STAGE) "install $$name" runtimes/install $$name || exit 1; done
	@$(STAGE) "mastra's own tests" node --test runtimes/mastra/*.test.mjs
	@$(STAGE) "the Python services' own tests" env PYTHONPATH=runtimes/python runtimes/strands/.install/bin/python -m unittest host_test
	@$(STAGE) "browser" node e2e/browser.mjs
	@$(STAGE) "playwright on the real runtimes" npx --no-install playwright test --config e2e/runtimes/playwright.config.mjs
	@$(STAGE) "probe of the real runtimes" node runtimes/run.mjs --free-ports --scripted -- runtimes/probe

runtimes-record: build ## Probe all of them, and the embedded agent, and keep what they send as the committed transcripts
	@$(STAGE) "record the embedded agent" go test -count=1 -run TestProbeFindsTheEmbeddedAgentWhole ./cmd/cairn -update
	@$(STAGE) "record" node runtimes/run.mjs --free-ports --scripted -- runtimes/probe --record

bench: ## Cost per event, beside the protocol's own client; ends with one line per figure
	@$(MAKE) --no-print-directory $(VENDOR) || echo "· without the npm packages"
	@$(STAGE) "go benchmarks" go test -run '^$$' -bench . -skip Nasty -benchtime 200ms ./agentclient/... ./internal/markdown
	@go run ./internal/bench

clean: ## Remove what was built
	rm -rf bin node_modules e2e/test-results e2e/report
	find static/vendor -type f ! -name .keep -delete
