import { Button, type MantineColorScheme, useMantineColorScheme } from '@mantine/core'
import type { ReactNode } from 'react'

const NEXT: Record<MantineColorScheme, MantineColorScheme> = { auto: 'light', light: 'dark', dark: 'auto' }
const NAMES: Record<MantineColorScheme, string> = { auto: 'the system’s', light: 'light', dark: 'dark' }

/** Changes between light, dark and what the system has. */
export function SchemeSwitch(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      onClick={() => setColorScheme(NEXT[colorScheme])}
      aria-label={`Colours: ${NAMES[colorScheme]}. Change.`}
    >
      Colours: {NAMES[colorScheme]}
    </Button>
  )
}
