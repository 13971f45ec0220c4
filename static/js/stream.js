// An htmx extension beside hx-sse: applies `datastar-patch-elements` events with htmx's
// morph, and keeps the connection honest. hx-sse reads and reconnects; what it does not
// do, and this does: retry a first open that failed, stop where the server says so (204,
// 401, 403, 404, 410), notice a line that went quiet, and tell the reader about it. A page
// that nobody looks at holds no line, also when it was opened so: browsers have six.
//
// Events around a patch, on document: cairn:patching, cairn:patched. Other scripts patch
// by dispatching cairn:apply with a message's data as its detail.
// When the connection changes, on its element: cairn:connection {state}.
(() => {
  const swaps = {
    outer: 'outerMorph', inner: 'innerMorph', replace: 'outerHTML', remove: 'delete',
    prepend: 'afterbegin', append: 'beforeend', before: 'beforebegin', after: 'afterend',
  }
  const inserts = ['prepend', 'append', 'before', 'after']
  const final = {
    204: 'This conversation has ended', 401: 'Your session has ended. Reload the page',
    403: 'This conversation belongs to another session', 404: 'This conversation is gone', 410: 'This conversation is gone',
    508: 'This page cannot update by itself. Reload it to see what is new',
  }
  const idleSeconds = 45 // three missed pings
  const longestWait = 8000 // ms between two attempts; who is back shall not look at a dead page for long
  const sliceMs = 12 // work between two chances for the browser to paint
  let api, sliceStart = 0

  const connects = (elt) => elt.hasAttribute?.('hx-sse:connect')

  function say(elt, state, words) {
    if (elt.dataset.state === state) return
    elt.dataset.state = state
    elt.textContent = words
    elt.dispatchEvent(new CustomEvent('cairn:connection', { bubbles: true, detail: { state } }))
  }

  // The line to the server is up; whether the agent can be reached, the server tells.
  function sayUp(elt) {
    const notice = document.getElementById('notice')
    if (notice && !notice.hidden) say(elt, 'unreachable', 'Agent unreachable')
    else say(elt, 'connected', 'Connected')
  }

  // The server has nothing more for us: no further attempt.
  function stop(elt, connection, status) {
    if (connection) {
      connection.config.reconnect = false
      connection.abortController?.abort()
    }
    say(elt, 'closed', final[status])
  }

  function open(elt) {
    if (elt.isConnected) htmx.ajax('GET', elt.getAttribute('hx-sse:connect'), { source: elt })
  }

  function retryFirstOpen(elt) {
    say(elt, 'reconnecting', 'Reconnecting…')
    const tries = (elt.tries = (elt.tries ?? 0) + 1)
    const wait = Math.min(500 * 2 ** (tries - 1), longestWait) * (0.7 + 0.6 * Math.random())
    setTimeout(() => open(elt), wait)
  }

  // A line can die without a word. The server pings; silence means it is dead.
  function watch(elt, connection) {
    clearInterval(elt.watch)
    elt.heard = performance.now()
    const idle = 1000 * (Number(elt.dataset.idle) || idleSeconds)
    elt.watch = setInterval(() => {
      if (!document.hidden && performance.now() - elt.heard > idle) connection.reader?.cancel()
    }, idle / 9)
  }

  function parse(data) {
    const args = { selector: '', mode: 'outer' }, elements = []
    for (const line of data.split('\n')) {
      const [, name, value] = /^(\S+) ?(.*)$/s.exec(line) ?? []
      if (name === 'elements') elements.push(value)
      else if (name) args[name] = value
    }
    const template = document.createElement('template')
    template.innerHTML = elements.join('\n')
    for (const script of template.content.querySelectorAll('script')) script.remove()
    return { ...args, fragment: template.content }
  }

  const put = (target, mode, fragment) => api.insertContent({ target, fragment, swapSpec: { style: swaps[mode], settle: 0 } }, false)

  async function apply(data) {
    const { selector, mode, fragment } = parse(data)
    if (!swaps[mode]) return console.warn('cairn: unknown patch mode', mode)
    const earlier = globalThis.cairnEarlier // see js/earlier.js
    if (earlier?.any()) {
      if (selector === '#earlier') return
      if (selector === '#chat-items') earlier.keep(fragment.firstElementChild)
      if (mode === 'remove' && earlier.stays(document.querySelector(selector))) return
    }
    if (selector) {
      // An element that is on the page already is updated in place, never inserted twice.
      if (inserts.includes(mode)) for (const child of [...fragment.children]) {
        const twin = child.id && document.getElementById(child.id)
        if (twin) await put(twin, 'outer', wrap(child))
      }
      const targets = document.querySelectorAll(selector)
      if (fragment.childNodes.length || !inserts.includes(mode)) {
        for (const target of targets) await put(target, mode, fragment.cloneNode(true))
      }
      return
    }
    for (const child of [...fragment.children]) {
      const target = child.id && document.getElementById(child.id)
      if (target) await put(target, mode, wrap(child))
    }
  }

  function wrap(child) {
    const fragment = document.createDocumentFragment()
    fragment.append(child)
    return fragment
  }

  async function patch(data) {
    document.dispatchEvent(new CustomEvent('cairn:patching'))
    await apply(data)
    for (const elt of document.querySelectorAll('[data-state=connected], [data-state=unreachable]')) if (connects(elt)) sayUp(elt)
    document.dispatchEvent(new CustomEvent('cairn:patched'))
    if (performance.now() - sliceStart < sliceMs) return
    await (globalThis.scheduler?.yield?.() ?? new Promise((done) => setTimeout(done)))
    sliceStart = performance.now()
  }

  htmx.registerExtension('stream', {
    init: (internal) => { api = internal },

    // A browser may keep a 404 or 410 by its own rules; the next answer may differ.
    htmx_config_request: (elt, { ctx }) => {
      if (!connects(elt)) return
      ctx.request.cache = 'no-store'
      elt.unseen = document.hidden
      return !elt.unseen
    },

    htmx_sse_before_message: (elt, detail) => {
      elt.heard = performance.now()
      if (detail.message.event === 'datastar-patch-elements') detail.waitUntil(patch(detail.message.data))
    },
    htmx_sse_before_connection: (elt, { connection }) => {
      connection.config.reconnectMaxDelay = longestWait
      if (connection.attempt > 0) say(elt, 'reconnecting', 'Reconnecting…')
    },
    htmx_sse_after_connection: (elt, { connection }) => {
      if (connection.status in final) return stop(elt, connection, connection.status)
      elt.tries = 0
      sayUp(elt)
      watch(elt, connection)
    },
    htmx_sse_error: (elt, { connection, status }) => {
      if (status in final) stop(elt, connection, status)
      else if (connects(elt)) say(elt, 'reconnecting', 'Reconnecting…')
    },
    htmx_sse_close: (elt) => clearInterval(elt.watch),

    // Only a first open that is no event stream comes this far.
    htmx_before_response: (elt, { ctx }) => {
      if (!connects(elt)) return
      if (ctx.response.status in final) stop(elt, null, ctx.response.status)
      else retryFirstOpen(elt)
      return false
    },
    htmx_error: (elt, { ctx }) => {
      if (ctx && connects(elt) && !elt._htmx?.sse) retryFirstOpen(elt)
    },

    // Elements that the user opened stay open.
    htmx_before_morph_attr: (elt, { attrName, newValue }) => {
      if (attrName === 'open' && newValue === null && elt.matches('details, dialog')) return false
    },
  })

  document.addEventListener('cairn:apply', (e) => patch(e.detail))

  const each = (act) => document.querySelectorAll('[hx-sse\\:connect]').forEach((elt) => elt._htmx?.sse && act(elt._htmx.sse))
  // A deleted conversation may be restored while the tab was hidden: reconnect.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return
    for (const elt of document.querySelectorAll('[hx-sse\\:connect]')) {
      if (!elt._htmx?.sse && (elt.unseen || elt.dataset.state === 'closed')) open(elt)
    }
  })
  addEventListener('online', () => each((connection) => connection.delayCanceller?.()))
  // Leaving: close the line ourselves, or the browser reports it as a network error.
  addEventListener('pagehide', () => each((connection) => { connection.config.reconnect = false; connection.abortController?.abort() }))
})()
