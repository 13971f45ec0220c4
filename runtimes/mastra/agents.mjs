// The camping trip planner, made with Mastra's own parts and nothing else.
// Nothing in this file knows about AG-UI.
import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { LibSQLStore } from '@mastra/libsql'
import { Memory } from '@mastra/memory'
import { z } from 'zod'

const NIGHTLY_RATE_USD = 45

// A plain tool. The weather is always the same, so that the demo is too.
const checkConditions = createTool({
  id: 'check_conditions',
  description: 'Check the current trail and weather conditions of a place.',
  inputSchema: z.object({
    location: z.string().describe('Name of the park or trailhead'),
  }),
  outputSchema: z.object({
    location: z.string(),
    forecast: z.string(),
    high_c: z.number(),
    low_c: z.number(),
  }),
  execute: async ({ location }) => ({
    location,
    forecast: 'Clear skies, light afternoon breeze',
    high_c: 18,
    low_c: 4,
  }),
})

// A tool that waits for a person. It is called twice: the first call suspends
// the run with a quote; the second, in a later request and perhaps a later
// process, brings the answer. Mastra does not make the second call idempotent
// and neither does this tool (see README, "What it cannot do in this version").
const reserveCampsite = createTool({
  id: 'reserve_campsite',
  description: 'Reserve a campsite. The user is asked to approve: the run pauses until they have decided.',
  inputSchema: z.object({
    site: z.string().describe('Name of the campsite'),
    nights: z.number().int().min(1).describe('Number of nights'),
  }),
  suspendSchema: z.object({ site: z.string(), nights: z.number(), total_usd: z.number() }),
  resumeSchema: z.object({ approved: z.boolean().optional() }),
  execute: async ({ site, nights }, { agent }) => {
    const total = nights * NIGHTLY_RATE_USD
    if (!agent.resumeData) {
      return agent.suspend({ site, nights, total_usd: total })
    }
    if (!agent.resumeData.approved) {
      return `Reservation for ${site} was declined by the user. Nothing was booked.`
    }
    const confirmation = `TP-${String(nights).padStart(2, '0')}88`
    return `Reserved ${site} for ${nights} night(s) — total $${total}. Confirmation ${confirmation}.`
  },
})

// Working memory is the state the page sees: the bridge turns every change of
// it into STATE_SNAPSHOT and STATE_DELTA.
const workingMemory = z.object({
  packing_list: z.object({
    title: z.string().describe('Title of the packing list'),
    items: z.array(z.object({ name: z.string(), qty: z.number() })).describe('Everything on the list'),
  }),
})

const PLANNER = `You are a camping trip planner of few words.
The packing list in working memory is what the user sees beside the chat. Whenever the user starts a list, or adds, removes or changes something on it, bring working memory up to date; 'items' holds {name, qty}. Never speak about memory or how the list is kept.
A question about trail conditions: you MUST call check_conditions.
A question about a weather forecast: you MUST delegate to weather_forecaster.
A wish to reserve or book a campsite: you MUST call reserve_campsite, and once it has an outcome, say what it is.
Answer in one short sentence.`

const FORECASTER =
  'You are a weather forecaster. You are given a campsite and dates; answer with a forecast of three bullets. Be brief.'

/**
 * The Mastra instance whose agents the service serves by name. The database
 * has to be a file that survives restarts: it holds the suspended runs.
 */
export function createAgents({ model, database }) {
  const storage = new LibSQLStore({ id: 'trip', url: database })
  // A child becomes the tool `agent-weather_forecaster` of its parent; its
  // description is what the parent's model reads.
  const forecaster = new Agent({
    id: 'weather_forecaster',
    name: 'weather_forecaster',
    description: 'Forecasts the weather for a campsite and dates. Use it for every question about weather.',
    instructions: FORECASTER,
    model,
  })
  const planner = new Agent({
    id: 'mastra',
    name: 'mastra',
    instructions: PLANNER,
    model,
    tools: { check_conditions: checkConditions, reserve_campsite: reserveCampsite },
    agents: { weather_forecaster: forecaster },
    memory: new Memory({
      storage,
      options: { workingMemory: { enabled: true, schema: workingMemory } },
    }),
  })
  return new Mastra({ agents: { mastra: planner }, storage, logger: false })
}
