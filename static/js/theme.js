// Sets the reader's colours before the first pixel; the only script that blocks
// painting. It also marks the page as one with scripts.
(() => {
  const root = document.documentElement
  const paper = { light: '#faf8f3', dark: '#151814' }
  const meta = [...document.querySelectorAll('meta[name="theme-color"]')].map((m) => [m, m.content])

  function apply(theme) {
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
    else delete root.dataset.theme
    for (const [m, own] of meta) m.content = paper[theme] ?? own
  }
  function stored() {
    try { return localStorage.getItem('theme') ?? 'auto' } catch { return 'auto' }
  }

  root.classList.add('js')
  apply(stored())
  addEventListener('storage', (e) => { if (e.key === 'theme') apply(stored()) })

  document.addEventListener('DOMContentLoaded', () => {
    const button = document.getElementById('theme')
    if (!button) return
    const names = { auto: 'as the system', light: 'light', dark: 'dark' }
    const order = ['auto', 'light', 'dark']
    const label = (theme) => { button.title = `Colours: ${names[theme] ?? names.auto}`; button.setAttribute('aria-label', button.title) }
    label(stored())
    button.addEventListener('click', () => {
      const theme = order[(order.indexOf(stored()) + 1) % order.length]
      try { localStorage.setItem('theme', theme) } catch { /* private window: for this page only */ }
      apply(theme)
      label(theme)
    })
  })
})()
