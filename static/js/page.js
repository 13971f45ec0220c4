// Decisions, announcements, focus and the small things around a page.
(() => {
  const $ = (id) => document.getElementById(id)

  // --- A decision: one click is one decision, until the server says otherwise. ---
  const waiting = new WeakMap() // form -> what the card was before
  const card = (form) => form.closest('.approval')
  document.addEventListener('htmx:config:request', (e) => {
    const form = e.detail.ctx.sourceElement
    if (!form.matches('.decide')) return
    if (waiting.has(form)) return e.preventDefault()
    const hint = form.querySelector('.hint')
    const word = card(form).querySelector('.approval-word')
    waiting.set(form, { phase: card(form).dataset.phase, word: word.textContent, hint: hint.textContent })
    card(form).dataset.phase = word.textContent = 'sending'
    hint.textContent = 'Sending your decision…'
    lock(form, true)
    complain(form, '')
    card(form).focus({ preventScroll: true })
  })
  document.addEventListener('htmx:finally:request', (e) => {
    const { ctx } = e.detail, form = ctx.sourceElement
    if (!form.matches('.decide') || !waiting.has(form)) return
    const { phase, word, hint } = waiting.get(form)
    waiting.delete(form)
    if (ctx.response?.status < 400 || !form.isConnected) return keep(form, null) // the stream shows the rest
    card(form).dataset.phase = phase
    card(form).querySelector('.approval-word').textContent = word
    lock(form, false)
    const plain = ctx.response?.headers.get('content-type')?.startsWith('text/plain') && ctx.text?.trim()
    const words = plain ? plain.slice(0, 400)
      : ctx.response ? 'That was not accepted. Nothing was decided.'
      : 'That did not reach the server. Try again; it counts once.'
    form.querySelector('.hint').textContent = hint
    if (!complain(form, words, ctx.response?.headers.get('x-field'))) form.querySelector('.hint').textContent = words
  })
  function lock(form, on) {
    for (const button of form.querySelectorAll('button:not(.guard)')) button.disabled = on
    const asks = form.querySelector('.asks')
    if (asks) asks.inert = on
  }
  // Says what to change, at the field when it is about one; '' takes it back.
  function complain(form, words, name) {
    const problem = form.querySelector('.decide-error')
    if (!problem) return false
    problem.textContent = words
    problem.hidden = !words
    for (const elt of form.querySelectorAll('[aria-invalid]')) {
      elt.removeAttribute('aria-invalid')
      elt.setAttribute('aria-describedby', elt.getAttribute('aria-describedby').replace(problem.id, '').trim())
    }
    const field = name && form.elements[name]
    if (!field) return true
    const first = field[0]?.type === 'radio' ? field[0] : field
    const elt = first.closest('[role=radiogroup]') ?? first
    elt.setAttribute('aria-invalid', 'true')
    elt.setAttribute('aria-describedby', `${elt.getAttribute('aria-describedby') ?? ''} ${problem.id}`.trim())
    first.focus()
    return true
  }

  // --- What is typed into a form outlives a reload, for this question in this tab. ---
  const fields = (form) => [...form.querySelectorAll('.asks :is(input, select, textarea)')]
  const ticked = (elt) => elt.type === 'checkbox' || elt.type === 'radio'
  const keyOf = (form) => 'answer:' + form.getAttribute('action')
  function keep(form, values) {
    try { values ? sessionStorage.setItem(keyOf(form), JSON.stringify(values)) : sessionStorage.removeItem(keyOf(form)) } catch { /* private window */ }
  }
  document.addEventListener('input', (e) => {
    const form = e.target.closest('.decide')
    if (form) keep(form, fields(form).map((elt) => ticked(elt) ? elt.checked : elt.value))
  })
  for (const form of document.querySelectorAll('.decide')) {
    let values = null
    try { values = JSON.parse(sessionStorage.getItem(keyOf(form))) } catch { /* private window */ }
    const all = fields(form)
    if (values?.length === all.length) all.forEach((elt, i) => { elt[ticked(elt) ? 'checked' : 'value'] = values[i] })
  }

  // --- One polite voice: start, decision needed, finished, failed. Never per word. ---
  const voice = $('announce')
  const look = () => ({
    running: 'running' in ($('composer-state')?.dataset ?? {}),
    pending: new Map([...document.querySelectorAll('.approval[data-phase="pending"]')].map((c) => [c.id, c.querySelector('.approval-title')?.textContent])),
    errors: new Map([...document.querySelectorAll('.run-error')].map((c) => [c.id, c.querySelector('.run-error-text')?.textContent])),
  })
  let seen = look()
  const news = (now, before) => [...now].find(([id]) => !before.has(id))?.[1]
  // The outcome announced for this run: the end of the run, a patch later, must not replace it.
  let outcome = ''
  const cut = () => [...document.querySelectorAll('#chat-items > .msg')].at(-1)?.querySelector('.note')?.textContent
  function announce() {
    const now = look(), before = seen
    seen = now
    if (now.running && !before.running) {
      outcome = ''
      voice.textContent = 'The agent is working.'
    }
    const error = news(now.errors, before.errors), decision = news(now.pending, before.pending)
    if (error) voice.textContent = outcome = error
    else if (decision) voice.textContent = outcome = `Your decision is needed: ${decision}`
    else if (!now.running && before.running && !outcome) voice.textContent = cut() || 'The agent has answered.'
  }
  document.addEventListener('cairn:connection', (e) => {
    if (e.detail.state === 'closed') voice.textContent = e.target.textContent
    else if (e.detail.state === 'reconnecting') voice.textContent = 'The connection was lost. Reconnecting.'
  })

  // --- Focus that a patch took away goes to the nearest sensible place. ---
  let focused = null
  document.addEventListener('cairn:patching', () => {
    const elt = document.activeElement
    focused = elt && elt !== document.body && !elt.closest('.remove, .thread-notice') ? { elt, home: elt.closest('.approval, .run-error, .composer-state')?.id } : null
  })
  document.addEventListener('cairn:patched', () => {
    announce()
    if (!focused || document.activeElement !== document.body) return
    // Moved, not gone: browsers that cannot move an element in place blur it.
    if (focused.elt.isConnected) return focused.elt.focus({ preventScroll: true })
    const home = focused.home && $(focused.home)
    // On a phone the text field would bring up its keyboard.
    const rest = matchMedia('(pointer: coarse)').matches ? $('scroll') : $('draft')
    ;(home?.matches('.approval') ? home : rest)?.focus({ preventScroll: true })
  })

  // --- The folds of a narrow page close by Escape and by a click beside them. ---
  const folds = [[$('menu'), '.sidebar, .thread-notice'], [$('panel-fold'), '.panel']]
  addEventListener('keydown', (e) => {
    if (e.key !== 'Escape') return
    for (const [fold] of folds) if (fold?.open) { fold.open = false; fold.querySelector('summary').focus() }
  })
  addEventListener('click', (e) => {
    for (const [fold, around] of folds) if (fold?.open && !e.target.closest(around)) fold.open = false
  })

  // --- An on-screen keyboard covers the page where it does not resize it (iOS). ---
  const view = window.visualViewport
  view?.addEventListener('resize', () => {
    const root = document.documentElement
    if (view.scale !== 1) return // zoomed by the reader
    if (view.height < innerHeight - 100) root.style.setProperty('--height', `${view.height}px`)
    else root.style.removeProperty('--height')
    scrollTo(0, 0)
  })

  // A page out of the back/forward cache is a picture of the past.
  addEventListener('pageshow', (e) => { if (e.persisted) location.reload() })

  document.querySelector('.file-links [aria-current]')?.scrollIntoView({ block: 'nearest' })
})()
