import { useMantineColorScheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { locale, t } from '../language/language.ts'
import { day } from '../parts/format.ts'
import classes from './usage-page.module.css'

const HEIGHT_PX = 150
const AXIS_PX = 46
const DATES_PX = 26
/** Minimum distance of two dates on the axis. */
const DATE_SPACE_PX = 72
const DAY_SECONDS = 86_400
/** Maximum width of a bar: as a share of the width of a day, and in pixels. */
const BAR = [0.6, 28] as const
const MS = 1000
const DAY = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Shows counts by day as bars. Callers must show the same numbers in a table for screen readers. */
export function Plot({ dates, values }: { dates: readonly string[]; values: readonly number[] }): ReactNode {
  const { ref, width } = useElementSize()
  const { colorScheme } = useMantineColorScheme()
  const container = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another scheme has other colours
  useEffect(() => {
    if (!container.current || width === 0) return
    const style = getComputedStyle(document.documentElement)
    const colour = (name: string) => style.getPropertyValue(name).trim()
    const axis = { stroke: colour('--soft'), ticks: { show: false } }
    const drawn = new UPlot(
      {
        width,
        height: HEIGHT_PX,
        legend: { show: false },
        cursor: { show: false },
        tzDate: (seconds) => UPlot.tzDate(new Date(seconds * MS), 'UTC'),
        axes: [
          {
            ...axis,
            size: DATES_PX,
            space: DATE_SPACE_PX,
            grid: { show: false },
            values: (_, at) => at.map((seconds) => DAY.format(seconds * MS)),
          },
          { ...axis, size: AXIS_PX, grid: { stroke: colour('--line'), width: 1 }, incrs: WHOLE_STEPS },
        ],
        scales: {
          x: { time: true, range: (_, from, until) => [from - DAY_SECONDS / 2, until + DAY_SECONDS / 2] },
          y: { range: (_, __, most) => [0, Math.max(1, most)] },
        },
        series: [
          {},
          { fill: colour('--accent'), paths: UPlot.paths.bars?.({ size: [...BAR] }), points: { show: false } },
        ],
      },
      [dates.map((date) => Date.parse(date) / MS), [...values]],
      container.current,
    )
    return () => drawn.destroy()
  }, [dates, values, width, colorScheme])
  return (
    <div
      ref={ref}
      className={classes.plot}
      role="img"
      aria-label={t('From {day} on, listed below', { day: day(dates[0]) })}
    >
      <div ref={container} />
    </div>
  )
}

/** Steps between the ticks of the axis. They are whole numbers, because counts have no fractions. */
const WHOLE_STEPS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000].flatMap((step) => [step, 2 * step, 5 * step])
