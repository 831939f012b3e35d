// Runs before the page is painted, so that a dark page does not flash in white. Mantine keeps the choice under this
// name.
{
  const chosen = localStorage.getItem('mantine-color-scheme-value')
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light'
}
