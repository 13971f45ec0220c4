package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
)

// TestMomentsStayTrue for as long as the page says them: the list is read again at
// the next midnight of the reader.
func TestMomentsStayTrue(t *testing.T) {
	tokyo := time.FixedZone("", 9*3600)
	now := time.Date(2026, 1, 1, 3, 0, 0, 0, tokyo) // still the old year in UTC
	for _, c := range []struct {
		at   time.Time
		zone *time.Location
		want string
	}{
		{now, tokyo, "03:00"},
		{now.Add(-3 * time.Hour), tokyo, "00:00"},
		{now.Add(-4 * time.Hour), tokyo, "31 Dec 2025"},
		{now.Add(-4 * time.Hour), time.UTC, "14:00"},
		{now.Add(-24 * time.Hour), time.UTC, "30 Dec"},
		{now.AddDate(-1, 0, 0), time.UTC, "31 Dec 2024"}, // the same day of another year
	} {
		if got := when(c.at, now, c.zone); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.at, c.zone, got, c.want)
		}
	}
}

func TestZoneIsTheBrowsers(t *testing.T) {
	for cookie, want := range map[string]int{"540": 9 * 3600, "-210": -210 * 60, "0": 0} {
		if _, got := time.Now().In(zoneOf(cookie)).Zone(); got != want {
			t.Errorf("%q: %d s, want %d", cookie, got, want)
		}
	}
	for _, cookie := range []string{"", "UTC", "841", "-99999999999999999999", "1e3"} {
		if zoneOf(cookie) != time.Local {
			t.Errorf("%q is taken", cookie)
		}
	}
}

func zoneOf(cookie string) *time.Location {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if cookie != "" {
		r.AddCookie(&http.Cookie{Name: zoneCookie, Value: cookie})
	}
	return zone(echo.New().NewContext(r, httptest.NewRecorder()))
}
