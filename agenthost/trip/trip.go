// Package trip is the camping trip planner, an example of an agent with instructions,
// tools, a child agent and a working memory. tools.go has the two tools.
package trip

import (
	"github.com/google/jsonschema-go/jsonschema"

	"cairn/agenthost"
	"cairn/agenthost/dialect"
)

// Topic is where the service serves the planner: POST /agent/mastra.
const Topic = "mastra"

const instructions = `You are a camping trip planner of few words.
The packing list in working memory is what the user sees beside the chat. Whenever the user starts a list, or adds, removes or changes something on it, bring working memory up to date; 'items' holds {name, qty}. Never speak about memory or how the list is kept.
A question about trail conditions: you MUST call check_conditions.
A question about a weather forecast: you MUST delegate to weather_forecaster.
A wish to reserve or book a campsite: you MUST call reserve_campsite, and once it has an outcome, say what it is.
Answer in one short sentence.`

// Memory is the planner's working memory. Its JSON is also the state shared with the page,
// which shows it while the model writes.
type Memory struct {
	PackingList PackingList `json:"packing_list"`
}

// PackingList is the list of things to take along.
type PackingList struct {
	Title string `json:"title" jsonschema:"Title of the packing list"`
	Items []Item `json:"items" jsonschema:"Everything on the list"`
}

// Item is one line of the list.
type Item struct {
	Name string  `json:"name"`
	Qty  float64 `json:"qty"`
}

// New returns the planner. It stores bookings in the ledger.
func New(ledger Ledger) *agenthost.Agent {
	return &agenthost.Agent{
		Name:         Topic,
		Instructions: instructions,
		Tools:        []*agenthost.Tool{checkConditions(), reserveCampsite(ledger)},
		Children:     []*agenthost.Agent{weatherForecaster()},
		Memory:       agenthost.SchemaOf[Memory](namesAreNotBlank),
		Dialect:      dialect.Mastra{},
	}
}

// namesAreNotBlank adds rules that Go's types cannot express: a list has a title and every
// item a name.
func namesAreNotBlank(s *jsonschema.Schema) {
	list := s.Properties["packing_list"]
	list.Properties["title"].MinLength = jsonschema.Ptr(1)
	list.Properties["items"].Items.Properties["name"].MinLength = jsonschema.Ptr(1)
}

// weatherForecaster is a child agent: the planner's model sees it as a tool that takes a
// prompt, and the page shows its answer on a card.
func weatherForecaster() *agenthost.Agent {
	return &agenthost.Agent{
		Name:         "weather_forecaster",
		Description:  "Forecasts the weather for a campsite and dates. Use it for every question about weather.",
		Instructions: "You are a weather forecaster. You are given a campsite and dates; answer with a forecast of three bullets. Be brief.",
	}
}
