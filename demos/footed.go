package demos

import (
	"context"
	"io"
	"strconv"

	"cairn/components"
)

// drawn is what a panel's body is.
type drawn interface {
	Render(context.Context, io.Writer) error
}

// footed is a panel's body with a line under it.
type footed struct {
	body drawn
	line string
}

// Render implements drawn.
func (f footed) Render(ctx context.Context, w io.Writer) error {
	if err := f.body.Render(ctx, w); err != nil {
		return err
	}
	return components.FactsView(components.Facts{Empty: f.line}).Render(ctx, w)
}

// andMore is the line in the place of n rows that are not shown.
func andMore(n int) string { return "and " + grouped(strconv.Itoa(n)) + " more" }

// grouped writes digits in groups of three.
func grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
