package view

import (
	"testing"

	"cairn/internal/view/viewtest"
)

// dom is a page that frames are applied to.
type dom struct {
	t *testing.T
	viewtest.Page
}

// newDOM holds the three elements that patches replace.
func newDOM(t *testing.T, f Frame) *dom {
	d := &dom{t, viewtest.New()}
	d.apply(f)
	return d
}

func (d *dom) apply(f Frame) {
	d.t.Helper()
	for _, p := range f {
		if err := d.Apply(p.Selector, string(p.Mode), p.HTML); err != nil {
			d.t.Fatal(err)
		}
	}
}
