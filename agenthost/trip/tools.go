package trip

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"cairn/agenthost"
)

// NightlyRateUSD is the price of every site.
const NightlyRateUSD = 45

// MaxNights is the longest stay that can be reserved.
const MaxNights = 14

// Place is the place to check.
type Place struct {
	Location string `json:"location" jsonschema:"Name of the park or trailhead"`
}

// Conditions are the conditions of a trail.
type Conditions struct {
	Location string `json:"location"`
	Forecast string `json:"forecast"`
	HighC    int    `json:"high_c"`
	LowC     int    `json:"low_c"`
}

// checkConditions is a plain tool: typed arguments in, a value out. The weather
// is always the same, so that the demo does not change.
func checkConditions() *agenthost.Tool {
	return agenthost.NewTool("check_conditions", "Check the current trail and weather conditions of a place.",
		func(_ context.Context, call agenthost.Call[Place]) (any, error) {
			return Conditions{call.Args.Location, "Clear skies, light afternoon breeze", 18, 4}, nil
		})
}

// Stay is the stay to reserve.
type Stay struct {
	Site   string `json:"site" jsonschema:"Name of the campsite"`
	Nights int    `json:"nights" jsonschema:"Number of nights"`
}

// Quote is shown to the user who approves.
type Quote struct {
	Site     string `json:"site"`
	Nights   int    `json:"nights"`
	TotalUSD int    `json:"total_usd"`
}

// Approval is the user's answer.
type Approval struct {
	Approved bool `json:"approved,omitempty"`
}

// reserveCampsite is a tool that waits for the user. The first call suspends the run with
// a quote. With the answer it is called again, in another request and perhaps another
// process, and books or does not. The idempotency key is the same each time, so a retry
// after a crash cannot book twice.
func reserveCampsite(ledger Ledger) *agenthost.Tool {
	tool := agenthost.NewTool("reserve_campsite",
		"Reserve a campsite. The user is asked to approve: the run pauses until they have decided.",
		func(ctx context.Context, call agenthost.Call[Stay]) (any, error) {
			stay := call.Args
			total := stay.Nights * NightlyRateUSD
			if call.Resume == nil {
				return nil, agenthost.Suspend(Quote{stay.Site, stay.Nights, total})
			}
			var answer Approval
			if err := call.Resume.Decode(&answer); err != nil {
				return nil, err
			}
			if !answer.Approved {
				return fmt.Sprintf("Reservation for %s was declined by the user. Nothing was booked.", stay.Site), nil
			}
			b, err := ledger.Book(ctx, call.IdempotencyKey, Booking{
				ThreadID: call.ThreadID, Site: stay.Site, Nights: stay.Nights, TotalUSD: total,
				Confirmation: fmt.Sprintf("TP-%02d88", stay.Nights),
			})
			if err != nil {
				return nil, err
			}
			return fmt.Sprintf("Reserved %s for %d night(s) — total $%d. Confirmation %s.",
				b.Site, b.Nights, b.TotalUSD, b.Confirmation), nil
		})
	tool.Input = agenthost.SchemaOf[Stay](stayIsSensible)
	tool.Resume = agenthost.SchemaOf[Approval]()
	tool.Idempotent = true
	return tool
}

func stayIsSensible(s *jsonschema.Schema) {
	s.Properties["site"].MinLength = jsonschema.Ptr(1)
	s.Properties["nights"].Minimum = jsonschema.Ptr(1.0)
	s.Properties["nights"].Maximum = jsonschema.Ptr(float64(MaxNights))
}
