import { createTheme } from '@mantine/core'

/**
 * What the parts of Mantine are set to. Its variables come from a file and not from the page, whose policy takes no
 * style that stands in it; colours of our own are therefore set in `app.css`.
 */
export const theme = createTheme({
  respectReducedMotion: true,
  primaryColor: 'teal',
  cursorType: 'pointer',
  defaultRadius: 'md',
})
