// node peer/talk.mjs URL: holds a conversation with an agent through the protocol's own
// client, @ag-ui/client's HttpAgent, as an application would. Standard input has one JSON
// object a line: {thread, say} adds a message, {thread, answer: PAYLOAD} resolves what the
// thread waits for, {thread, cancel: true} cancels it. Each is one run, and one line of
// output: {events, invalid, error, pending, messages, state}. invalid names the frames
// that @ag-ui/core's schemas refuse. The token is read from AG_UI_INTERNAL_TOKEN.
import { createInterface } from "node:readline";
import { HttpAgent } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";

console.warn = console.error = () => {};
const url = process.argv[2];
const agents = new Map();
let frames = "";

// Keeps what a response says while the client reads it.
async function overheard(input, init) {
  const response = await fetch(input, init);
  const decoder = new TextDecoder();
  const ear = new TransformStream({
    transform(chunk, out) {
      frames += decoder.decode(chunk, { stream: true });
      out.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(ear), response);
}

function agentOf(threadId) {
  if (!agents.has(threadId)) {
    const headers = { "X-Internal-Token": process.env.AG_UI_INTERNAL_TOKEN };
    agents.set(threadId, new HttpAgent({ url, headers, threadId, fetch: overheard }));
  }
  return agents.get(threadId);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { thread, say, answer, cancel } = JSON.parse(line);
  const agent = agentOf(thread);
  const input = { runId: crypto.randomUUID() };
  if (say) agent.addMessage({ id: crypto.randomUUID(), role: "user", content: say });
  if (answer !== undefined || cancel) {
    const decision = cancel ? { status: "cancelled" } : { status: "resolved", payload: answer };
    input.resume = agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, ...decision }));
  }
  let error = null;
  frames = "";
  await agent.runAgent(input).catch((e) => { error = String(e?.message ?? e); });
  const events = [];
  const invalid = [];
  for (const frame of frames.split("\n\n").filter((f) => f.startsWith("data: "))) {
    const event = JSON.parse(frame.slice("data: ".length));
    const checked = EventSchemas.safeParse(event);
    events.push(event.type);
    if (!checked.success) invalid.push(`${event.type}: ${checked.error.message}`);
  }
  const { pendingInterrupts: pending, messages, state } = agent;
  process.stdout.write(JSON.stringify({ events, invalid, error, pending, messages, state }) + "\n");
}
