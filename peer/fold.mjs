// node peer/fold.mjs [FILE.sse...]: folds each stream with @ag-ui/client and prints
// one line of JSON per file: {file, messages, state, error, warnings}. The request
// is FILE.request.json beside it, when there is one: its body gives the messages
// and the state the run began with. Names of files also come from standard input,
// one a line, when no argument is given.
import { readFileSync, existsSync } from "node:fs";

process.env.SUPPRESS_TRANSFORMATION_WARNINGS = "1";
let warnings = [];
console.warn = console.error = (...args) => warnings.push(args.map(String).join(" "));
// A cut stream makes the package leave a rejected promise behind.
process.on("unhandledRejection", (e) => warnings.push(`unhandled: ${e}`));

const { run } = await import("./agent.mjs");

let files = process.argv.slice(2);
if (files.length === 0) files = readFileSync(0, "utf8").split("\n").filter(Boolean);
for (const file of files) {
  warnings = [];
  const request = file.replace(/\.sse$/, ".request.json");
  const input = existsSync(request) ? JSON.parse(readFileSync(request, "utf8")).body : {};
  const folded = await run([readFileSync(file)], input);
  process.stdout.write(JSON.stringify({ file, ...folded, warnings }) + "\n");
}
