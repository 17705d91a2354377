import type { InboxDay } from '../../ports/inbox';
import { spanText, type Reader } from '../reader';
import { Head } from '../table';

const size = { column: 44, top: 18, bars: 110, foot: 40 };

/** Waiting and decided on each day, with the median time to a decision: a picture, and the same as a table. */
export function DaysChart({ days, reader }: { days: readonly InboxDay[]; reader: Reader }) {
  const most = Math.max(1, ...days.flatMap(({ waiting, decided }) => [waiting, decided]));
  const width = size.column * days.length;
  const height = size.top + size.bars + size.foot;
  const dayText = (date: string) =>
    new Intl.DateTimeFormat(reader.locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
      new Date(date),
    );
  return (
    <section id="day-by-day" aria-labelledby="days-title" data-live>
      <h2 id="days-title">Waiting and decided, day by day</h2>
      <figure class="chart">
        <svg
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-labelledby="days-title"
          aria-describedby="days"
        >
          {days.map((day, i) => (
            <Day {...{ day, most, at: i * size.column, label: dayText(day.date) }} />
          ))}
        </svg>
        <figcaption>
          <span class="key waiting"></span> waiting at the end of the day <span class="key decided"></span>{' '}
          decided; below, the median time from opening to decision. Days are those of {reader.timeZone}.
        </figcaption>
      </figure>
      <details>
        <summary>As a table</summary>
        <table id="days">
          <Head
            columns={[
              'Day',
              { wide: 'Came in' },
              'Decided',
              { wide: 'Expired or cancelled' },
              'Waiting',
              'Median',
            ]}
          />
          <tbody>
            {days.map(({ date, opened, decided, lapsed, waiting, medianMs }) => (
              <tr>
                <th scope="row">{dayText(date)}</th>
                <td class="wide">{opened}</td>
                <td>{decided}</td>
                <td class="wide">{lapsed}</td>
                <td>{waiting}</td>
                <td>{medianMs === null ? '–' : spanText(medianMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

interface DayProps {
  readonly day: InboxDay;
  readonly most: number;
  /** Where its column begins. */
  readonly at: number;
  readonly label: string;
}

function Day({ day: { waiting, decided, medianMs }, most, at, label }: DayProps) {
  const floor = size.top + size.bars;
  const middle = at + size.column / 2;
  return (
    <g>
      <Bar kind="waiting" count={waiting} most={most} x={at + 4} />
      <Bar kind="decided" count={decided} most={most} x={at + 23} />
      <text x={middle} y={floor + 15} text-anchor="middle">
        {label}
      </text>
      <text x={middle} y={floor + 31} text-anchor="middle">
        {medianMs === null ? '–' : spanText(medianMs)}
      </text>
    </g>
  );
}

function Bar({ kind, count, most, x }: { kind: string; count: number; most: number; x: number }) {
  const height = Math.round((count / most) * size.bars);
  const y = size.top + size.bars - height;
  return (
    <>
      <rect class={kind} x={x} y={y} width={17} height={height} />
      {count > 0 && (
        <text x={x + 8.5} y={y - 4} text-anchor="middle">
          {count}
        </text>
      )}
    </>
  );
}
