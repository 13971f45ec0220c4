package meeting

import (
	"fmt"
	"hash/fnv"
	"strings"

	"cairn/agenthost/scriptedmodel/script"
)

// calendar is when people tend to be free. It is made up, and always the same,
// and these are slots the scheduler's tool knows too.
var calendar = []string{"Monday 09:00", "Tuesday 10:00", "Wednesday 11:00", "Thursday 14:00", "Friday 10:30", "Monday 13:30", "Tuesday 15:00", "Thursday 09:30"}

// advise is the researcher's answer: three bullets, the best slot first,
// picked by a hash of who is asked for, so that the same question gets the same
// answer.
func advise(t script.Turn) script.Reply {
	who := "everyone"
	if found := people(script.Plain(t.User)); len(found) > 0 {
		who = script.And(found)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.ToLower(who)))
	at := int(h.Sum32() % uint32(len(calendar)))
	pick := func(n int) string { return calendar[(at+n)%len(calendar)] }
	days := script.Weekdays(t.User)
	first := pick(0)
	for n := range calendar {
		if len(days) > 0 && strings.HasPrefix(pick(n), days[0]) {
			first, at = pick(n), at+n
			break
		}
	}
	return script.Reply{Text: fmt.Sprintf("- **%s:** %s free, the best choice\n- **%s:** free for half an hour\n- **%s:** only as a last resort, as a focus block would move",
		first, are(who), pick(1), pick(3))}
}

func are(who string) string {
	if strings.Contains(who, " and ") {
		return who + " are all"
	}
	return who + " is"
}
