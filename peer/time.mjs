// node peer/time.mjs: for each file named on a line of standard input, takes it from
// bytes to messages and state with @ag-ui/client and prints one line of JSON:
// {events, wall, cpu, messages, error}. wall and cpu are milliseconds; cpu counts all
// threads. Reading the file is not timed.
process.env.NODE_ENV = "production"; // otherwise the package also freezes every event
console.warn = console.error = () => {};

const { readFileSync } = await import("node:fs");
const { createInterface } = await import("node:readline");
const { run, cut } = await import("./agent.mjs");

// readSize is what a read of a socket gives at most.
const readSize = 64 << 10;
const events = new Map();

for await (const file of createInterface({ input: process.stdin })) {
  const reads = cut(readFileSync(file), readSize);
  if (!events.has(file)) events.set(file, readFileSync(file, "utf8").split("\n\n").filter((f) => f.includes("data:")).length);
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  const start = performance.now();
  const { messages, error } = await run(reads);
  const wall = performance.now() - start;
  const used = process.cpuUsage(cpu);
  const out = { events: events.get(file), wall, cpu: (used.user + used.system) / 1000, messages: messages.length, error: error ?? "" };
  process.stdout.write(JSON.stringify(out) + "\n");
}
