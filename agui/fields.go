package agui

import (
	"encoding/json"
	"reflect"
	"strings"
)

// field is a member of a struct; bit is its own in the struct.
type field struct {
	name     string
	index    []int
	raw      bool
	bit      uint64
	required bool
}

// besides are the structs that are read besides events.
var besides = []reflect.Type{
	reflect.TypeFor[RunAgentInput](), reflect.TypeFor[wireInterrupt](), reflect.TypeFor[wirePart](),
	reflect.TypeFor[patchOp](), reflect.TypeFor[thinking](),
}

// fields are the members of each struct, by name in JSON.
var fields = func() map[reflect.Type]map[string]field {
	all := map[reflect.Type]map[string]field{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		switch {
		case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice:
			add(t.Elem())
		case t.Kind() == reflect.Struct && t != contentType && all[t] == nil:
			all[t] = map[string]field{}
			for _, f := range reflect.VisibleFields(t) {
				name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
				if f.Anonymous || name == "-" {
					continue
				}
				required := !strings.Contains(options, "omit") && f.Tag.Get("agui") != "optional"
				all[t][name] = field{name, f.Index, f.Type == rawType, 1 << len(all[t]), required}
				add(f.Type)
			}
		}
	}
	for t := range types {
		add(t)
	}
	for _, t := range besides {
		add(t)
	}
	return all
}()

var (
	rawType       = reflect.TypeFor[json.RawMessage]()
	contentType   = reflect.TypeFor[Content]()
	interruptType = reflect.TypeFor[Interrupt]()
)
