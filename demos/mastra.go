package demos

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cairn/agentclient/interrupt"
	"cairn/components"
)

// Mastra is the camping trip planner, in the dialect of Mastra.
func Mastra() Demo {
	dialect := MastraDialect()
	return Demo{
		Slug:        "mastra",
		Name:        "Camping trip",
		Runtime:     dialect.Runtime,
		Agent:       "the trip planner",
		Heading:     "Where to this weekend?",
		Lead:        "A trip planner that keeps your packing list, checks the trail, and asks before it books anything.",
		Placeholder: "Ask the trip planner…",
		Suggestions: []components.Suggestion{
			{Label: "Start a packing list", Description: "A tent and two sleeping bags to begin with", Text: "Start a packing list called Yosemite weekend with a tent and two sleeping bags"},
			{Label: "Check trail conditions", Description: "Yosemite Valley, right now", Text: "Check trail conditions in Yosemite Valley right now"},
			{Label: "Reserve the campsite", Description: "Two nights at North Pines, with your approval", Text: "Reserve the campsite at North Pines for two nights"},
		},
		Transport:   dialect.Transport,
		Profile:     dialect.Profile,
		NewPanel:    func() Panel { return new(packingPanel) },
		Approval:    reservation,
		Outcome:     reservationOutcome,
		ToolSummary: tripToolSummary,
		Code: []CodeFile{
			{Path: "agenthost/trip/trip.go", Note: "the trip planner: instructions, tools and the second agent"},
			{Path: "demos/mastra.go", Note: "this demo: suggestions, approval, evidence"},
			{Path: "demos/profiles.go", Note: "where this runtime, and three others, put what is asked"},
			{Path: "demos/packing.go", Note: "the packing list beside the chat"},
			{Path: "internal/runner/drive.go", Note: "how a run's events reach the log"},
			{Path: "internal/view/frame.go", Note: "how the log becomes patches of the page"},
			{Path: "static/js/stream.js", Note: "how the browser applies a patch"},
		},
	}
}

// reservation words the question that reserve_campsite pauses with.
func reservation(p interrupt.Pending) Approval {
	a := Approval{
		Title: "Reservation approval required", Approved: "Reservation approved", Declined: "Reservation declined",
		Hint: "Nothing is booked until you approve.",
	}
	var pay struct {
		Site   string   `json:"site"`
		Nights *float64 `json:"nights"`
		Total  *float64 `json:"total_usd"`
	}
	unread := json.Unmarshal(p.Payload, &pay) != nil || pay.Site == ""
	switch {
	case !about(p, "reserve_campsite") || unread && p.ToolName == "":
		return Approval{}
	case unread:
		return a
	}
	a.Rows = append(a.Rows, components.Field{Label: "Campsite", Value: pay.Site})
	if pay.Nights != nil {
		a.Rows = append(a.Rows, components.Field{Label: "Nights", Value: strconv.FormatFloat(*pay.Nights, 'f', -1, 64)})
	}
	if pay.Total != nil {
		a.Rows = append(a.Rows, components.Field{Label: "Total", Value: usd(*pay.Total)})
	}
	return a
}

var confirmation = regexp.MustCompile(`\bConfirmation (TP-\d+)\b`)

// reservationOutcome reads the decision's effect from the tool's own result,
// never from the model's prose.
func reservationOutcome(approved bool, e Evidence) (string, bool) {
	all := strings.Join(e.Results, "\n")
	m := confirmation.FindStringSubmatch(all)
	switch {
	case approved && m != nil:
		return "Booked. Confirmation " + m[1] + ".", true
	case approved:
		return "You approved, but the agent's answer does not confirm a booking.", false
	case m != nil:
		return "You declined, but the agent reports confirmation " + m[1] + ". Please check with the campsite.", false
	case strings.Contains(all, "Nothing was booked"):
		return "Declined. Nothing was booked.", true
	default:
		return "You declined. The agent did not say that nothing was booked.", false
	}
}

// tripToolSummary reads the result of check_conditions.
func tripToolSummary(tool, _, result string) string {
	if tool != "check_conditions" {
		return ""
	}
	var r struct {
		Location string   `json:"location"`
		Forecast string   `json:"forecast"`
		High     *float64 `json:"high_c"`
		Low      *float64 `json:"low_c"`
	}
	if json.Unmarshal([]byte(result), &r) != nil || r.Forecast == "" {
		return ""
	}
	s := r.Forecast
	if r.Location != "" {
		first, n := utf8.DecodeRuneInString(s)
		s = r.Location + " — " + string(unicode.ToLower(first)) + s[n:]
	}
	if r.High != nil && r.Low != nil {
		s += fmt.Sprintf(", %v° / %v°", *r.High, *r.Low)
	}
	return s
}

// usd writes an amount as currency.
func usd(v float64) string {
	s := fmt.Sprintf("%.2f", v)
	whole, frac, _ := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	return sign + "$" + grouped(whole) + "." + frac
}
