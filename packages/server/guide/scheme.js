// Runs before the page is painted, so that a dark page does not flash in white.
{
  const chosen = localStorage.getItem('cairn-guide-scheme')
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.scheme = isDark ? 'dark' : 'light'
}
