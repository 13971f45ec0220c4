// The protocol's own client, @ag-ui/client, over bytes that are already here: its
// HttpAgent with a fetch that answers in this process. Everything behind the fetch
// (framing, enforcement, expansion, verification, reducer) is the package's own.
// It never opens a connection.
import { HttpAgent } from "@ag-ui/client";

// run gives one stream to a fresh agent, cut into the reads the network would
// give: reads is a list of Uint8Array. input may hold threadId, runId, messages
// and state, as a request of the protocol does. The error is a string, null when
// the client resolved.
export async function run(reads, input = {}) {
  const agent = new HttpAgent({
    url: "http://agent.invalid/",
    threadId: input.threadId,
    initialMessages: input.messages ?? [],
    initialState: input.state ?? {},
    fetch: async () => new Response(body(reads), { headers: { "Content-Type": "text/event-stream" } }),
  });
  let error = null;
  try {
    await agent.runAgent({ runId: input.runId });
  } catch (e) {
    error = String(e?.message ?? e);
  }
  return { messages: agent.messages, state: agent.state, error };
}

function body(reads) {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      if (next < reads.length) controller.enqueue(reads[next++]);
      else controller.close();
    },
  });
}

// cut splits bytes into pieces of at most size bytes.
export function cut(bytes, size) {
  const out = [];
  for (let i = 0; i < bytes.length; i += size) out.push(bytes.subarray(i, i + size));
  return out;
}
