// The list of conversations: searching, renaming and deleting without leaving the page.
// Each works without this script too, as a page of its own.
(() => {
  const $ = (id) => document.getElementById(id)

  // The server words times for the reader's own clock.
  document.cookie = `tz=${-new Date().getTimezoneOffset()}; path=/; max-age=31536000; samesite=lax`

  const put = (id, html) => document.dispatchEvent(new CustomEvent('cairn:apply', {
    detail: `selector #${id}\nmode outer\n` + html.split('\n').map((line) => 'elements ' + line).join('\n'),
  }))
  const ask = (url, init) => fetch(url, { ...init, headers: { 'HX-Request': 'true' } }).catch(() => null)

  // --- Search: the list becomes what was found, and again whenever the list changes. ---
  const search = $('thread-search'), box = $('thread-query')
  let latest = 0, timer
  async function load(url) {
    const mine = ++latest
    const answer = await ask(url)
    const html = answer?.ok ? await answer.text() : ''
    if (html && mine === latest) put('thread-items', html)
  }
  const find = () => load(search.getAttribute('action') + '?' + new URLSearchParams(new FormData(search)))
  box?.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(find, 150)
  })
  // The stream tells of a change and patches the newest conversations only.
  document.addEventListener('threads', () => {
    const url = $('thread-items')?.dataset.url
    if (url) load(url)
  })
  document.querySelector('.sidebar .thread [aria-current]')?.scrollIntoView({ block: 'nearest' })
  if (box?.value && !$('thread-items').dataset.url) find() // a value that the browser kept

  // --- Rename, delete, undo. ---
  const close = () => $('thread-notice').replaceChildren()
  function tell(words) {
    const p = document.createElement('p')
    p.className = 'thread-notice-text'
    p.textContent = words
    $('thread-notice').replaceChildren(p)
  }
  async function words(answer) {
    const text = answer?.headers.get('content-type')?.startsWith('text/plain') ? (await answer.text()).trim() : ''
    return text ? text.slice(0, 400) : answer ? 'That was not accepted. Nothing has changed.' : 'That did not reach the server. Nothing has changed.'
  }
  const busy = new WeakSet()
  document.addEventListener('submit', async (e) => {
    const form = e.target
    if (!form.matches('.thread-form')) return
    e.preventDefault()
    if (busy.has(form)) return
    busy.add(form)
    const began = form.contains(document.activeElement)
    const answer = await ask(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) })
    busy.delete(form)
    const to = answer?.headers.get('HX-Redirect')
    if (to) return location.assign(to)
    const title = form.elements.title
    if (!answer?.ok) {
      const said = await words(answer)
      if (!title) return tell(said)
      title.setCustomValidity(said)
      return title.reportValidity()
    }
    if (title) return fold(form.closest('details'))
    // The stream may have taken the row, and the focus with it, before the answer is here.
    const kept = began && (form.contains(document.activeElement) || document.activeElement === document.body)
    put('thread-notice', await answer.text())
    // Hidden, not removed: to the stream a deletion undone at once is no change.
    const row = $('thread-' + new URL(form.action).pathname.split('/')[2])
    if (row) row.hidden = form.matches('.remove')
    if (kept) $('thread-notice').querySelector('button')?.focus()
  })
  document.addEventListener('click', (e) => { if (e.target.closest('#thread-notice-close')) { close(); (box ?? $('draft'))?.focus() } })

  // A title is edited in place: open, it has the caret; Escape leaves it as it was.
  function fold(details) {
    if (!details) return
    details.open = false
    details.querySelector('summary').focus()
  }
  document.addEventListener('click', (e) => {
    const details = e.target.closest('.thread-edit > summary')?.parentElement
    if (!details) return
    e.preventDefault() // it would open later than the next key
    const opens = !details.open
    for (const other of document.querySelectorAll('.thread-edit[open]')) other.open = false
    details.open = opens
    if (!opens) return
    const title = details.querySelector('[name=title]')
    title.focus()
    title.select()
  })
  document.addEventListener('input', (e) => { if (e.target.matches('.rename [name=title]')) e.target.setCustomValidity('') })
  document.addEventListener('keydown', (e) => {
    const details = e.key === 'Escape' && !e.isComposing && e.target.closest?.('.thread-edit[open]')
    if (!details) return
    e.stopPropagation() // the menu around it stays
    details.querySelector('form').reset()
    fold(details)
  }, true)
})()
