// The interactive parts of the guide: search, color scheme, copying of code and the current place in the outline.

const root = document.documentElement
const dialog = document.querySelector('dialog')
const input = dialog.querySelector('input')
const list = dialog.querySelector('ol')
const status = dialog.querySelector('[role=status]')
const RESULTS_MAX = 16
/** The options with which the server builds the index. */
const INDEXED = { fields: ['heading', 'path', 'text'], storeFields: ['heading', 'path'] }
const SEARCHED = { fuzzy: 0.2, prefix: true, boost: { heading: 4, path: 2 } }

let index
/** Loads the index once. A failed load is tried again by the next search. */
function loadIndex() {
  const { library, index: address } = dialog.dataset
  index ??= Promise.all([import(library), fetch(address).then((reply) => reply.text())])
    .then(([{ default: MiniSearch }, json]) => MiniSearch.loadJSON(json, INDEXED))
    .catch((error) => {
      index = undefined
      throw error
    })
  return index
}

function openSearch() {
  dialog.showModal()
  input.select()
  loadIndex().catch(() => {})
}

function itemFor({ id, heading, path }) {
  const link = Object.assign(document.createElement('a'), { href: id })
  if (path) link.append(path, ' › ')
  link.append(Object.assign(document.createElement('b'), { textContent: heading }))
  const item = document.createElement('li')
  item.append(link)
  return item
}

async function search() {
  const query = input.value
  try {
    const found = (await loadIndex()).search(query, SEARCHED).slice(0, RESULTS_MAX)
    if (query !== input.value) return
    list.replaceChildren(...found.map(itemFor))
    list.firstElementChild?.classList.add('chosen')
    status.textContent = found.length === 0 && query !== '' ? `No results for “${query}”` : ''
  } catch {
    status.textContent = 'The search index could not be loaded. Check the connection and type again.'
  }
}

function moveChoice(step) {
  const items = [...list.children]
  const at = items.findIndex((item) => item.classList.contains('chosen'))
  items[at]?.classList.remove('chosen')
  const next = items[(at + step + items.length) % items.length]
  next?.classList.add('chosen')
  next?.scrollIntoView({ block: 'nearest' })
}

input.addEventListener('input', search)
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    moveChoice(event.key === 'ArrowDown' ? 1 : -1)
  }
  if (event.key === 'Enter') list.querySelector('.chosen a')?.click()
})
dialog.addEventListener('click', ({ target }) => {
  if (target === dialog || target.closest('a')) dialog.close()
})
document.querySelector('button.search').addEventListener('click', openSearch)
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea')
  if ((event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !isTyping)) {
    event.preventDefault()
    openSearch()
  }
})

const toggle = document.querySelector('button.scheme')
const showScheme = () => toggle.setAttribute('aria-checked', String(root.dataset.scheme === 'dark'))
showScheme()
toggle.addEventListener('click', () => {
  root.dataset.scheme = root.dataset.scheme === 'dark' ? 'light' : 'dark'
  localStorage.setItem('cairn-guide-scheme', root.dataset.scheme)
  showScheme()
})

document.addEventListener('click', async ({ target }) => {
  if (!target.classList.contains('copy')) return
  await navigator.clipboard?.writeText(target.parentElement.querySelector('code').textContent)
  target.classList.add('copied')
})

/** Marks the outline's entry of the section that is read. */
function markPlace() {
  const headings = [...document.querySelectorAll('main :is(h2, h3)[id]')]
  const passed = headings.findLast((heading) => heading.getBoundingClientRect().top < innerHeight / 4)
  for (const link of document.querySelectorAll('.outline a'))
    link.classList.toggle('active', passed !== undefined && link.hash === `#${passed.id}`)
}
addEventListener('scroll', markPlace, { passive: true })
markPlace()
