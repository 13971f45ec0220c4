package refund

import (
	"regexp"
	"slices"
	"strings"

	"cairn/agenthost/scriptedmodel/script"
)

// maxBullets is how many sentences of the policy the researcher quotes.
const maxBullets = 3

// policy is what counts when the researcher's instructions have none.
var policy = []string{
	"Duplicate charges are refunded in full",
	"Damaged and missing items are refunded within 30 days",
	"Chargebacks are refunded once the bank's claim is there",
	"Every refund is approved by an operator",
}

// policyText is the rest of the line that begins to say what the policy is.
var policyText = regexp.MustCompile(`(?i)\bpolicy(?: says| is)?: *(\S.*)`)

// advise is the researcher's answer: the sentences of the policy in its
// instructions, those on the case asked about first.
func advise(t script.Turn) script.Reply {
	known := policy
	if len(t.Systems) > 0 {
		if m := policyText.FindStringSubmatch(t.Systems[0]); m != nil {
			known = sentences(m[1])
		}
	}
	return script.Reply{Text: "- " + strings.Join(relevant(known, t.User), "\n- ")}
}

func sentences(text string) []string {
	var out []string
	for s := range strings.SplitSeq(text, ". ") {
		if s = strings.Trim(s, " ."); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// relevant picks the sentences that share the most words with the question.
func relevant(known []string, question string) []string {
	asked := script.Words(question)
	asked = slices.DeleteFunc(asked, func(w string) bool { return len(w) < 5 || strings.HasPrefix("refunded", w) })
	score := func(s string) int {
		n := 0
		for _, w := range script.Words(s) {
			for _, a := range asked {
				if strings.HasPrefix(w, strings.TrimSuffix(a, "s")) {
					n++
				}
			}
		}
		return n
	}
	out := slices.Clone(known)
	slices.SortStableFunc(out, func(a, b string) int { return score(b) - score(a) })
	return out[:min(len(out), maxBullets)]
}
