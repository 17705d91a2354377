import { spawnSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { settingNames } from '../../src/main/settings';

// No container engine is needed here: what is checked is that every name in the compose file and the Dockerfile
// (files, commands, variables, ports) exists, and that nothing in them is a secret or opens a port to the network.

interface Service {
  image: string;
  build?: { context: string; target: string };
  command?: string[];
  environment: Record<string, string | null>;
  volumes?: string[];
  ports?: string[];
  profiles?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  deploy?: { replicas: number };
}

const root = path.resolve(__dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const composeText = read('docker-compose.yml');
const compose = parse(composeText, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, service]) => service.build !== undefined);
const dockerfile = read('Dockerfile').replace(/\\\n/g, ' ').split('\n');
const instructions = (keyword: string): string[] =>
  dockerfile.filter((line) => line.startsWith(`${keyword} `)).map((line) => line.slice(keyword.length + 1));
const copies = instructions('COPY').map((line) => {
  const from = /^--from=(\S+) /.exec(line)?.[1];
  const paths = line.replace(/^--from=\S+ /, '').split(/\s+/);
  return { from, sources: paths.slice(0, -1), target: paths.at(-1)! };
});
const variablesOf = (text: string): Map<string, string> =>
  new Map([...text.matchAll(/\$\{([A-Z_]+)(:[?-][^}]*)\}/g)].map((match) => [match[1]!, match[2]!]));
const wired = variablesOf(composeText.replace(/^\s*#.*$/gm, ''));
const pinned = /^[\w./-]+:\d+\.\d+(\.\d+)?(-[\w.-]+)?$/;

describe('the images', () => {
  test.each(services)('%s runs a pinned version', (_name, service) => {
    expect(service.image).toMatch(pinned);
  });

  test("ours carries the package's version", () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(new Set(ours.map(([, service]) => service.image))).toEqual(new Set([`countersign:${version}`]));
  });

  test('the Dockerfile starts from one pinned image, names its stages, and ends as an ordinary user', () => {
    const stages = instructions('FROM').map((line) => line.split(' '));
    expect(stages).toHaveLength(2);
    for (const [image] of stages) expect(image).toMatch(pinned);
    expect(new Set(stages.map(([image]) => image)).size).toBe(1);
    const names = stages.map(([, , name]) => name);
    expect(names).toContain(ours[0]?.[1].build?.target);
    expect(copies.flatMap(({ from }) => from ?? [])).toEqual(expect.arrayContaining(['build']));
    for (const { from } of copies) if (from !== undefined) expect(names).toContain(from);
    expect(instructions('USER')).toEqual(['node']);
  });
});

describe('the files', () => {
  test.each(copies.filter(({ from }) => from === undefined).flatMap(({ sources }) => sources))(
    'the build copies %s, which exists and is let through',
    (source) => {
      expect(existsSync(path.join(root, source))).toBe(true);
      expect(read('.dockerignore').split('\n')).toContain(`!${source}`);
    },
  );

  test('the builder is sent nothing else', () => {
    const rules = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const copied = copies.filter(({ from }) => from === undefined).flatMap(({ sources }) => sources);
    expect(rules[0]).toBe('*');
    expect(rules.slice(1).sort()).toEqual(copied.map((source) => `!${source}`).sort());
  });

  test.each(services.flatMap(([name, { volumes = [] }]) => volumes.map((volume) => [name, volume] as const)))(
    '%s mounts %s, which exists',
    (_name, volume) => {
      const [source, target] = volume.split(':') as [string, string];
      expect(path.isAbsolute(target)).toBe(true);
      if (!source.startsWith('.')) return expect(Object.keys(compose.volumes)).toContain(source);
      expect(volume).toMatch(/:ro$/);
      expect(statSync(path.join(root, source)).isDirectory()).toBe(path.extname(target) === '.d');
    },
  );

  test('what the runtime stage holds is enough to start the command line', () => {
    const image = mkdtempSync(path.join(tmpdir(), 'countersign-image-'));
    try {
      for (const { from, target } of copies) {
        if (from === undefined || target === 'node_modules') continue;
        for (const name of target === './' ? ['package.json'] : [target])
          cpSync(path.join(root, name), path.join(image, name), { recursive: true });
      }
      symlinkSync(path.join(root, 'node_modules'), path.join(image, 'node_modules'));
      const started = spawnSync(process.execPath, ['bin/countersign.js', '--help'], {
        cwd: image,
        encoding: 'utf8',
      });
      expect([started.status, started.stderr]).toEqual([0, '']);
    } finally {
      rmSync(image, { recursive: true });
    }
  });
});

describe('the commands', () => {
  const help = spawnSync(process.execPath, ['bin/countersign.js', '--help'], { cwd: root, encoding: 'utf8' });
  const known = [...help.stdout.matchAll(/^ {2}([a-z]+)\b/gm)].map((match) => match[1]);

  test('the image starts our command line, by default the API', () => {
    expect(instructions('ENTRYPOINT')).toEqual(['["node", "bin/countersign.js"]']);
    expect(JSON.parse(instructions('CMD')[0]!)).toEqual(['api']);
    expect(read('Dockerfile')).toMatch(
      /HEALTHCHECK[^[]*\["node", "bin\/countersign.js", "doctor", "--json"\]/,
    );
    expect(known).toEqual(expect.arrayContaining(['api', 'doctor']));
  });

  test.each(ours)('%s runs a command that exists', (_name, service) => {
    expect(service.command).toHaveLength(1);
    expect(known).toContain(service.command![0]);
  });

  test('there are two workers, an API, and a simulated provider only on request', () => {
    const byCommand = (command: string) => ours.find(([, service]) => service.command?.[0] === command)?.[1];
    expect(byCommand('worker')?.deploy?.replicas).toBe(2);
    expect(byCommand('api')?.profiles).toBeUndefined();
    expect(byCommand('sandbox')?.profiles).toEqual(['sandbox']);
  });
});

describe('the variables', () => {
  test.each(ours)('%s is given only settings that we read', (_name, service) => {
    const fromImage = instructions('ENV').flatMap((line) =>
      [...line.matchAll(/([A-Z_]+)=/g)].map((m) => m[1]!),
    );
    const given = [...Object.keys(service.environment), ...fromImage].filter((name) => name !== 'NODE_ENV');
    expect(given.filter((name) => !settingNames.includes(name))).toEqual([]);
  });

  test("only migrate has the owner's database; API and workers have the application's role", () => {
    const withOwner = services.filter(([, { environment }]) =>
      JSON.stringify(environment).includes('countersign_owner'),
    );
    expect(withOwner.map(([name]) => name)).toEqual(['migrate']);
    for (const name of ['api', 'worker'])
      expect(compose.services[name]?.environment.DATABASE_URL).toMatch(/^postgres:\/\/countersign_runtime:/);
  });

  const secretName = /PASSWORD|PWD|SECRET|_KEY|TOKEN/;
  test.each(services)('%s has no secret written down', (_name, { environment }) => {
    for (const [name, value] of Object.entries(environment)) {
      if (value === null) continue;
      const secret = secretName.test(name) ? value : /^\w+:\/\/[^:/@]*:(.*)@/.exec(value)?.[1];
      if (secret !== undefined) expect(secret).toMatch(/^\$\{[A-Z_]+:(\?[^}]+|-)\}$/);
    }
  });

  test('.env.example names every variable once, and holds no secret', () => {
    const lines = [...read('.env.example').matchAll(/^(?:# )?([A-Z_]+)=(.*)$/gm)];
    const named = lines.map((line) => line[1]!);
    // Handed on by their names alone, where .env has them.
    const handedOn = Object.entries(compose.services.api?.environment ?? {})
      .filter(([, value]) => value === null)
      .map(([name]) => name);
    expect(handedOn).toContain('COUNTERSIGN_ENCRYPTION_KEYS');
    expect([...named].sort()).toEqual([...wired.keys(), 'COMPOSE_PROJECT_NAME', ...handedOn].sort());
    for (const [, name, value] of lines)
      if (secretName.test(name!)) expect([name, value]).toEqual([name, '']);
  });

  test('new-env.mjs makes every secret that is ours, another one each time, and leaves the provider its own', () => {
    const make = (): Map<string, string> => {
      const made = spawnSync(process.execPath, ['docker/new-env.mjs'], { cwd: root, encoding: 'utf8' });
      return new Map([...made.stdout.matchAll(/^([A-Z_]+)=(.*)$/gm)].map((match) => [match[1]!, match[2]!]));
    };
    const [first, second] = [make(), make()];
    const required = [...wired].filter(([, fallback]) => fallback.startsWith(':?')).map(([name]) => name);
    expect(required.filter((name) => !first.get(name)).sort()).toEqual([
      'STRIPE_API_KEY',
      'STRIPE_WEBHOOK_SECRET',
    ]);
    const passwords = [...first].filter(([name]) => name.endsWith('_PASSWORD'));
    expect(passwords).toHaveLength(5);
    for (const [name, value] of passwords) {
      expect(value).toMatch(/^[0-9a-f]{48}$/);
      expect(second.get(name)).not.toBe(value);
    }
    expect(new Set(passwords.map(([, value]) => value)).size).toBe(5);
    const jwk = JSON.parse(first.get('COUNTERSIGN_SIGNING_KEY')!.slice(1, -1)) as Record<string, string>;
    expect(createPrivateKey({ key: jwk, format: 'jwk' }).asymmetricKeyType).toBe('ed25519');
  });
});

describe('order and reach', () => {
  test.each(
    services.flatMap(([name, { depends_on = {} }]) =>
      Object.entries(depends_on).map((on) => [name, ...on] as const),
    ),
  )('%s waits for %s, which can become what it waits for', (_name, target, { condition }) => {
    const service = compose.services[target]!;
    expect(service.profiles).toBeUndefined();
    if (condition === 'service_healthy') expect(service.healthcheck?.test?.[0]).toBe('CMD');
    else
      expect([condition, service]).toEqual([
        'service_completed_successfully',
        expect.objectContaining({ restart: 'no' }),
      ]);
  });

  test.each(services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port])))(
    '%s publishes %s on this host only',
    (_name, port) => {
      expect(port).toMatch(/^127\.0\.0\.1:\$\{[A-Z_]+:-\d+\}:\d+$/);
    },
  );

  test('PostgreSQL is published nowhere, and keeps its data where version 18 does', () => {
    expect(compose.services.postgres?.ports).toBeUndefined();
    expect(compose.services.postgres?.volumes).toContain('postgres-data:/var/lib/postgresql');
  });

  test('the namespace job registers exactly the search attributes that outsiders rely on', () => {
    const registered = [...read('docker/temporal/namespace.sh').matchAll(/(Countersign\w+):(\w+)/g)];
    expect(Object.fromEntries(registered.map((match) => [match[1], match[2]]))).toEqual({
      CountersignTenant: 'Keyword',
      CountersignPhase: 'Keyword',
      CountersignCustomer: 'Keyword',
      CountersignAmount: 'Int',
      CountersignCurrency: 'Keyword',
      CountersignApproverGroup: 'Keyword',
    });
  });
});
