package jsonpatch_test

import (
	"encoding/json"
	"fmt"

	"cairn/agentclient/jsonpatch"
)

// A patch that fails changes nothing.
func ExampleDocument_Patch() {
	doc := jsonpatch.Parse(json.RawMessage(`{"list":["tent"]}`))
	for _, delta := range []string{
		`[{"op":"add","path":"/list/-","value":"stove"}]`,
		`[{"op":"add","path":"/list/-","value":"rope"},{"op":"remove","path":"/nothing"}]`,
	} {
		if _, err := doc.Patch(json.RawMessage(delta), 0); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(string(doc.JSON()), doc.Value().Member("list").Len())
	// Output:
	// operation 1: path leads nowhere: remove /nothing
	// {"list":["tent","stove"]} 2
}
