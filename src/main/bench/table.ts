import { partNames, type BenchReport, type Compared, type Figures, type Spread } from './report';

const titles: Record<Compared, string> = {
  throughputPerSecond: 'approved refunds a second',
  idleP50Ms: 'decision to provider, idle p50, ms',
  historyEvents: 'history events a refund',
  historyBytes: 'history bytes a refund',
  workerCpuMs: 'worker CPU a refund, ms',
  stackCpuMs: 'stack CPU a refund, ms',
  workerStartMs: 'worker start to first work, ms',
  recoveryMs: 'recovery after SIGKILL, ms',
};

/** The report for people: medians over rounds, min–max behind them. */
export function tableOf(report: BenchReport): string {
  const { systems, ratios, options, machine } = report;
  const { bare, countersign, countersignHttp } = systems;
  const row = (title: string, of: (figures: Figures) => Spread | null, ...ratio: (number | null)[]) => [
    title,
    ...[bare, countersign, countersignHttp].map((figures) => spreadText(of(figures))),
    ...ratio.map(ratioText),
  ];
  const lines = [
    ['', 'bare', 'Countersign', 'Countersign, HTTP', 'ratio', 'ratio, HTTP'],
    ...(Object.keys(titles) as Compared[]).map((name) =>
      row(titles[name], (it) => it[name], ratios.countersign[name], ratios.countersignHttp[name]),
    ),
    ...partNames.map((part) => row(`  CPU of ${part}, ms`, (it) => it.cpuMsByPart[part])),
  ];
  return `${aligned(lines)}

${options.rounds} interleaved rounds of ${options.refunds} refunds, ${options.concurrency} at a time, and of ${options.idleRefunds} one by one;
${machine.cpus} processors, Node ${machine.node}, ${machine.platform}. Median (min–max) over rounds; ratios are Countersign / bare.
The stack is Temporal, PostgreSQL, API and worker. "Countersign" calls the use cases in the driver's process, "HTTP" the
API in its own. The bare worker bundles its workflow when it starts, as the SDK's samples do. Refunds at the provider:
${Object.entries(report.counts)
  .map(([name, { approved, providerRefunds }]) => `${name} ${providerRefunds} of ${approved} approved`)
  .join(', ')}.

Aims (Countersign by its use cases):
${report.aims
  .map(({ aim, figure, met }) => `  ${met ? 'met    ' : 'not met'}  ${aim}: ${figureText(figure)}`)
  .join('\n')}
`;
}

function aligned(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}

function spreadText(spread: Spread | null): string {
  if (!spread) return '';
  const { median, min, max } = spread;
  return min === max ? figureText(median) : `${figureText(median)} (${figureText(min)}–${figureText(max)})`;
}

function ratioText(ratio: number | null): string {
  return ratio === null ? '' : ratio.toFixed(2);
}

function figureText(figure: number | null): string {
  if (figure === null) return 'not measured';
  return figure >= 100 ? figure.toFixed(0) : figure.toFixed(figure >= 10 ? 1 : 2);
}
