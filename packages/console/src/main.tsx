import { createTheme, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { followNavigation } from './app/heading-focus.ts'
import { queries } from './app/queries.ts'
import { router } from './app/router.tsx'
import { beginSession } from './app/session.ts'
import { followLinks } from './sign-in/link.ts'
import './app/styles.ts'
import './app/app.css'

/**
 * Theme of the Mantine components. The content security policy forbids inline styles. Therefore Mantine's CSS variables
 * are served as a file, and our own colors are in `app.css`.
 */
const theme = createTheme({
  respectReducedMotion: true,
  primaryColor: 'teal',
  cursorType: 'pointer',
  defaultRadius: 'md',
})

const place = document.getElementById('console')
if (!place) throw new Error('The page has no element #console.')

// Runs before the first request, so that a code in the address is used and removed from it.
beginSession()
followLinks()
followNavigation(router)

createRoot(place).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
