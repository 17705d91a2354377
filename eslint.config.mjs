import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** What scripts of the pages use of a browser. */
const browserGlobals = [
  ...[
    'document',
    'window',
    'location',
    'history',
    'localStorage',
    'fetch',
    'Event',
    'EventSource',
    'DOMParser',
  ],
  ...['FormData', 'URL', 'URLSearchParams', 'CSS', 'Intl', 'setTimeout', 'clearTimeout', 'setInterval'],
];

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'src/client/api.generated.ts',
      'node_modules/',
      'test/replay/histories/',
      '.countersign/',
      'coverage/',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
      'max-lines': ['error', { max: 260, skipBlankLines: false, skipComments: false }],
    },
  },
  {
    // Workflow code must be replayable: nothing that reads the outside world.
    files: ['workflows/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'fetch', 'setInterval', 'require', 'Buffer'],
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
          message: 'Workflows are deterministic.',
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
    },
  },
  {
    files: ['src/cli/**/*.ts', 'src/main/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['src/web/assets/*.js'],
    languageOptions: { globals: Object.fromEntries(browserGlobals.map((name) => [name, 'readonly'])) },
  },
  {
    files: ['**/*.{js,cjs,mjs}'],
    ignores: ['src/web/assets/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        module: 'readonly',
        require: 'readonly',
        __dirname: 'readonly',
      },
    },
  },
);
