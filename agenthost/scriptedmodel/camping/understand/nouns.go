package understand

import "strings"

// sameInPlural are nouns whose final s is not a plural.
var sameInPlural = set(`gas canvas compass glass glasses sunglasses binoculars pants trousers shorts jeans leggings tights scissors pliers
	tweezers goggles clothes chess harness dress mattress bus thermos s'mores molasses hummus couscous asparagus citrus
	series swiss press wilderness grass moss headphones earphones overalls pajamas pyjamas cutlery news address access lens christmas
	plus us  waders briefs boxers thermals long-johns`)

// irregular plurals, and those whose singular the endings below would miss.
var irregular = map[string]string{
	"knives": "knife", "loaves": "loaf", "shelves": "shelf", "leaves": "leaf", "scarves": "scarf", "axes": "axe", "hoodies": "hoodie",
	"cookies": "cookie", "brownies": "brownie", "smoothies": "smoothie", "movies": "movie", "selfies": "selfie", "beanies": "beanie",
	"onesies": "onesie", "veggies": "veggie", "pies": "pie", "ties": "tie", "shoes": "shoe", "horseshoes": "horseshoe",
	"toes": "toe", "canoes": "canoe", "headaches": "headache", "caches": "cache", "lenses": "lens", "buses": "bus", "gases": "gas",
	"thermoses": "thermos", "children": "child", "people": "person", "teeth": "tooth", "feet": "foot", "mice": "mouse", "women": "woman",
	"men": "man", "quiches": "quiche", "towelettes": "towelette", "axles": "axle", "hoes": "hoe", "zombies": "zombie",
}

// Singular returns the singular of an English noun phrase: its head noun is the
// last word, or the one before "of", "for" or "with".
func Singular(name string) string { return onHead(name, singularWord) }

// Plural is the reverse of Singular.
func Plural(name string) string { return onHead(name, pluralWord) }

func onHead(name string, f func(string) string) string {
	words := strings.Fields(name)
	if len(words) == 0 {
		return name
	}
	head := len(words) - 1
	for i, w := range words {
		if i > 0 && (w == "of" || w == "for" || w == "with") {
			head = i - 1
			break
		}
	}
	words[head] = f(words[head])
	return strings.Join(words, " ")
}

func singularWord(w string) string {
	low := strings.ToLower(w)
	if s, ok := irregular[low]; ok {
		return likeCase(w, s)
	}
	cut := func(n int) string { return w[:len(w)-n] }
	switch {
	case len(low) != len(w) || len(low) < 4 || low[len(low)-1] != 's' || sameInPlural[low] || sameInPlural[lastPart(low)]:
		return w
	case strings.HasSuffix(low, "ies"):
		return cut(3) + "y"
	case endsIn(low, "ches", "shes", "sses", "xes", "zzes", "toes"):
		return cut(2)
	case endsIn(low, "ss", "us", "is"):
		return w
	}
	return cut(1)
}

func pluralWord(w string) string {
	low := strings.ToLower(w)
	for plural, s := range irregular {
		if s == low {
			return likeCase(w, plural)
		}
	}
	switch {
	case low == "" || len(low) != len(w) || singularWord(w) != w || massNouns[low] || sameInPlural[low] && strings.HasSuffix(low, "s") && !endsIn(low, "ss"):
		return w // already plural, or the same
	case endsIn(low, "ch", "sh", "ss", "x", "zz", "potato", "tomato"):
		return w + "es"
	case strings.HasSuffix(low, "y") && len(low) > 1 && !strings.ContainsRune("aeiou", rune(low[len(low)-2])):
		return w[:len(w)-1] + "ies"
	}
	return w + "s"
}

// massNouns are counted without "a".
var massNouns = set(`water firewood wood sunscreen rope food coffee tea spray repellent gear equipment bread cheese milk fuel
	toilet-paper paper soap shampoo toothpaste kindling ice beer wine rice pasta charcoal clothing cordage jerky salt pepper sugar
	butter mix gas medicine cash money duct-tape tape foil chocolate bacon ham salsa honey jam granola oatmeal cutlery twine string`)

// IsMass reports a noun that takes no "a": "water", or a plural.
func IsMass(name string) bool {
	words := strings.Fields(strings.ToLower(name))
	if len(words) == 0 {
		return true
	}
	last := words[len(words)-1]
	for i, w := range words {
		if i > 0 && (w == "of" || w == "for" || w == "with") {
			last = words[i-1]
			break
		}
	}
	return massNouns[last] || sameInPlural[last] && !endsIn(last, "ss", "us", "lens", "thermos", "bus", "compass") || singularWord(last) != last
}

// Key is what makes two item names the same item.
func Key(name string) string { return strings.ToLower(Singular(clean(name))) }

func endsIn(s string, ends ...string) bool {
	for _, e := range ends {
		if strings.HasSuffix(s, e) {
			return true
		}
	}
	return false
}

func lastPart(s string) string { return s[strings.LastIndexByte(s, '-')+1:] }

func likeCase(model, s string) string {
	if model != "" && s != "" && model[:1] != strings.ToLower(model[:1]) {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}
