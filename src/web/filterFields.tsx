export type Choice = readonly [value: string, label: string];

export const same = (name: string): Choice => [name, name];

/** What an address asks for by hand stays asked for. */
export function withOwn(own: string | undefined, choices: Choice[]): Choice[] {
  return own === undefined || choices.some(([value]) => value === own) ? choices : [...choices, same(own)];
}

export function Select({
  name,
  label,
  chosen = '',
  choices,
}: {
  name: string;
  label: string;
  chosen?: string | undefined;
  choices: readonly Choice[];
}) {
  return (
    <p>
      <label for={`filter-${name}`}>{label}</label>
      <select id={`filter-${name}`} name={name}>
        {choices.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </p>
  );
}

export function Text({
  name,
  label,
  value,
  hint,
  size = 8,
}: {
  name: string;
  label: string;
  value?: string | undefined;
  hint: string;
  size?: number;
}) {
  return (
    <p>
      <label for={`filter-${name}`}>{label}</label>
      <input id={`filter-${name}`} name={name} value={value ?? ''} placeholder={hint} size={size} />
    </p>
  );
}

/** A day; what was asked otherwise, by hand, stays to be read. */
export function Day({
  name,
  label,
  value = '',
}: {
  name: string;
  label: string;
  value?: string | undefined;
}) {
  const type = value === '' || /^\d{4}-\d\d-\d\d$/.test(value) ? 'date' : 'text';
  return (
    <p>
      <label for={`filter-${name}`}>{label}</label>
      <input id={`filter-${name}`} name={name} type={type} value={value} />
    </p>
  );
}

/** The end of every form of filters. */
export function Show({ path }: { path: string }) {
  return (
    <p class="act">
      <button>Show</button> <a href={path}>Reset</a>
    </p>
  );
}
