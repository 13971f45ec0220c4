// Shows a delegated child while it works. The bridge drops the child's chunks
// and holds the delegation's TOOL_CALL_* back until the child is done; this
// emits both at once from the chunks themselves and drops the bridge's later
// copies. One injector serves one run.
//
// A card is opened by the parent's `tool-call`, fed by `tool-output` and closed
// by `tool-result` or `tool-error`. Whatever is still open when the run ends is
// closed as failed, so no card outlives its run.

const COPIES = new Set(['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END'])
const RUN_ENDS = new Set(['RUN_FINISHED', 'RUN_ERROR'])

/** `children` holds the names of the agents that can be delegated to. */
export function createInjector(children) {
  const childOf = new Map(children.map((name) => [`agent-${name}`, name]))
  const cards = new Map() // open cards by tool call id
  const shown = new Set() // tool calls whose opening frames are already sent
  let parentMessageId // Mastra announces it at the start of each step

  const open = ({ toolCallId, toolName, args }) => {
    if (shown.has(toolCallId)) return []
    shown.add(toolCallId)
    const card = { id: `${toolCallId}:sub`, messages: 0, writing: '' }
    cards.set(toolCallId, card)
    return [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName: toolName, parentMessageId },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(args ?? {}) },
      { type: 'TOOL_CALL_END', toolCallId },
      {
        type: 'SUBAGENT_STARTED',
        subagentRunId: card.id,
        name: childOf.get(toolName),
        parentToolCallId: toolCallId,
        parentMessageId,
      },
    ]
  }

  const write = (card, delta) => {
    if (!delta) return []
    const events = []
    if (!card.writing) {
      card.messages += 1
      card.writing = `${card.id}:msg${card.messages > 1 ? `-${card.messages}` : ''}`
      events.push({ type: 'TEXT_MESSAGE_START', messageId: card.writing, role: 'assistant', subagentRunId: card.id })
    }
    events.push({ type: 'TEXT_MESSAGE_CONTENT', messageId: card.writing, delta, subagentRunId: card.id })
    return events
  }

  const endMessage = (card) => {
    if (!card.writing) return []
    const messageId = card.writing
    card.writing = ''
    return [{ type: 'TEXT_MESSAGE_END', messageId, subagentRunId: card.id }]
  }

  const close = (toolCallId, type, outcome) => {
    const card = cards.get(toolCallId)
    cards.delete(toolCallId)
    return [...endMessage(card), { type, subagentRunId: card.id, ...outcome }]
  }

  const fail = (toolCallId, message) => close(toolCallId, 'SUBAGENT_ERROR', { message })

  // An answer that did not stream is still shown, as one message.
  const finish = (toolCallId, card, text) => [
    ...(card.messages === 0 ? write(card, text) : []),
    ...close(toolCallId, 'SUBAGENT_FINISHED', { result: text }),
  ]

  const childChunk = (card, output) => {
    if (output?.type === 'text-delta') return write(card, output.payload?.text)
    if (output?.type === 'text-end' || output?.type === 'step-finish') return endMessage(card)
    return []
  }

  return {
    /** The frames to send for a chunk of the parent's stream. */
    chunk({ type, payload }) {
      if (type === 'start' || type === 'step-start') {
        parentMessageId = payload?.messageId ?? parentMessageId
        return []
      }
      if (type === 'tool-call') return childOf.has(payload.toolName) ? open(payload) : []
      const card = cards.get(payload?.toolCallId)
      if (!card) return []
      switch (type) {
        case 'tool-output':
          return childChunk(card, payload.output)
        case 'tool-error':
          return fail(payload.toolCallId, errorText(payload.error))
        case 'tool-result': {
          const { result } = payload
          const failed = payload.isError || result?.error || result?.success === false
          return failed
            ? fail(payload.toolCallId, errorText(result))
            : finish(payload.toolCallId, card, result?.text ?? '')
        }
        default:
          return []
      }
    },

    /** The frames to send for an event of the bridge: itself, or nothing. */
    event(event) {
      if (RUN_ENDS.has(event.type)) {
        const left = [...cards.keys()].flatMap((id) => fail(id, 'The run ended before this agent did.'))
        return [...left, event]
      }
      return COPIES.has(event.type) && shown.has(event.toolCallId) ? [] : [event]
    },
  }
}

function errorText(error) {
  return String(error?.message ?? error ?? 'unknown error')
}
