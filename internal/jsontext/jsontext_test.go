package jsontext

import "testing"

func TestMarshal(t *testing.T) {
	v := map[string]any{"a": "<b> & \u2028", "n": []int{1}}
	if raw, err := Marshal(v); err != nil || string(raw) != `{"a":"<b> & \u2028","n":[1]}` {
		t.Errorf("%s, %v", raw, err)
	}
	if raw, err := MarshalIndent([]int{1}, " "); err != nil || string(raw) != "[\n 1\n]" {
		t.Errorf("%s, %v", raw, err)
	}
	if _, err := Marshal(func() {}); err == nil {
		t.Error("a function is encoded")
	}
	defer func() {
		if recover() == nil {
			t.Error("Must does not panic")
		}
	}()
	Must(make(chan int))
}
