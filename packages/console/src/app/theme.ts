import { createTheme, Modal } from '@mantine/core'

/**
 * What the parts of Mantine are set to. Its variables come from a file and not from the page, whose policy takes no
 * style that stands in it; colours of our own are therefore set in `app.css`. For the same reason a dialogue does not
 * lock the page behind it, which would write a style into the page.
 */
export const theme = createTheme({
  respectReducedMotion: true,
  primaryColor: 'teal',
  cursorType: 'pointer',
  defaultRadius: 'md',
  components: {
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true, transitionProps: { duration: 0 } } }),
  },
})
