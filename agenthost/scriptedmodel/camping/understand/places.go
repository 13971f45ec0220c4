package understand

import (
	"strings"
	"unicode"
)

// generic words never make a place by themselves.
var generic = set(`the a an my our your this that these those trail trails trailhead condition conditions weather forecast forecasts campsite campsites campground camp
	site sites spot area park place there here it them me us you i we weekend week trip day days night nights reservation booking list packing
	like be look looking is are was will would should can could do does what what's whats how how's hows when where which who right now current currently
	report status update check show tell give get see know find out about of on in at for to near around from with up and or any some
	please pls thanks thank going go gonna rain raining rainy snow snowing snowy sunny hot cold warm windy wind storm storms stormy temperature temperatures
	temp temps freeze freezing cloudy clear wet dry muddy icy safe open closed passable good bad okay ok hike hiking camping outside outdoors degrees high low latest
	want need have has there's then also but if whether it's forecasted predicted expected expect hi hello hey 3-bullet bullet bullets summary short concise quick
	reserve book stay staying camp pitch tent make let's let's just so well forecaster agent delegate call ask using use date dates range much cool nice yes no conditions?
	today today's tonight's tomorrow's weekend's look looks seem think really still even very too as well hourly daily three-bullet provide request requested not don't doesn't
	isn't won't anything something chance chances possibility probability did get's getting stand bring wear umbrella jacket i'd i'm we're we'll i'll reports info information details advisory
	kid kids child children baby babies toddler toddlers family families dog dogs pet pets friend friends wife husband people everyone beginner beginners`)

var placePreps = set("at in for on near around of to by outside about")

// place finds what a question about conditions or weather is about: the words
// after a preposition, else the longest run of words that mean nothing else.
// skip marks tokens that were read as something else, such as dates.
func place(toks []token, skip []bool) string {
	usable := func(i int) bool { return i < len(toks) && !toks[i].punct && !skip[i] }
	for i := range toks {
		if skip[i] || toks[i].quoted || !placePreps[toks[i].low] {
			continue
		}
		j := i + 1
		for usable(j) && !stopsPlace(toks, j, i+1) {
			j++
		}
		if p := placeName(toks[i+1 : j]); p != "" {
			return p
		}
	}
	best, start := "", -1
	for i := 0; i <= len(toks); i++ {
		if usable(i) && (toks[i].quoted || !generic[toks[i].low] || start >= 0 && endsName(toks[start:i+1])) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			if p := placeName(toks[start:i]); len(p) > len(best) {
				best = p
			}
		}
		start = -1
	}
	return best
}

// stopsPlace reports a word that ends the place begun at start.
func stopsPlace(toks []token, i, start int) bool {
	t := toks[i]
	if t.quoted || i == start {
		return false
	}
	if t.is("please", "like", "for", "before", "if", "so", "because", "when", "while", "as", "from", "is", "are", "was", "looking", "look", "going", "and", "or", "be", "today's", "during", "after", "until", "with", "using", "on", "at", "in", "near", "right", "conditions", "condition", "weather", "forecast", "gets", "will", "should", "over", "thanks", "then", "pls", "open", "closed", "safe", "clear") {
		return !(t.is("and", "on", "in", "of") && capitalised(toks, i-1) && capitalised(toks, i+1) && t.is("of"))
	}
	return false
}

func capitalised(toks []token, i int) bool {
	if i < 0 || i >= len(toks) || toks[i].punct {
		return false
	}
	for _, r := range toks[i].text {
		return unicode.IsUpper(r)
	}
	return false
}

// placeName trims generic words off both ends; "" when nothing is left.
func placeName(toks []token) string {
	isGeneric := func(t token) bool { return !t.quoted && generic[t.low] }
	for len(toks) > 0 && isGeneric(toks[0]) && !(startsName(toks)) {
		toks = toks[1:]
	}
	for len(toks) > 0 && isGeneric(toks[len(toks)-1]) && !endsName(toks) {
		toks = toks[:len(toks)-1]
	}
	if len(toks) == 0 {
		return ""
	}
	name := join(toks)
	name = strings.TrimSuffix(name, "'s")
	return TitleCase(name)
}

// startsName keeps "Campsite 42", "site B12".
func startsName(toks []token) bool {
	if !toks[0].is("campsite", "site", "spot", "campground", "camp", "area", "pitch") || len(toks) < 2 {
		return false
	}
	return strings.ContainsAny(toks[1].low, "0123456789#") || len(toks[1].low) == 1 && !toks[1].is("a", "i")
}

// endsName keeps a capitalised generic word that ends a name: "Curry Camp".
func endsName(toks []token) bool {
	n := len(toks)
	return n > 1 && capitalised(toks, n-1) && capitalised(toks, n-2) &&
		toks[n-1].is("camp", "campground", "park", "trail", "trailhead", "area", "site", "spot")
}

// TitleCase writes names typed without any capital with one on each word but
// the small ones; names with a capital stay as they are.
func TitleCase(s string) string {
	if s != strings.ToLower(s) {
		return s
	}
	words := strings.Fields(s)
	for i, w := range words {
		if i > 0 && (w == "of" || w == "the" || w == "at" || w == "in" || w == "and" || w == "de" || w == "la" || w == "on") {
			continue
		}
		words[i] = Capital(w)
	}
	return strings.Join(words, " ")
}
