interface Served {
  readonly method: string;
  readonly path: string;
}

/** What may be done at an address, for the header Allow; where two templates fit, the more literal one counts. */
export function methodsAt(routes: readonly Served[], path: string): string[] {
  const fitting = routes.filter((route) => route.method !== 'ALL' && fits(route.path, path));
  const fewest = Math.min(...fitting.map(parameters));
  const methods = fitting.filter((route) => parameters(route) === fewest).map((route) => route.method);
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort();
}

function fits(template: string, path: string): boolean {
  return new RegExp(`^${template.replace(/:\w+/g, '[^/]+')}$`).test(path);
}

function parameters({ path }: Served): number {
  return path.split(':').length - 1;
}
