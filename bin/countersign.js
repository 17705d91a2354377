#!/usr/bin/env node
'use strict';
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const entry = join(__dirname, '..', 'dist', 'src', 'cli', 'index.js');
if (!existsSync(entry)) {
  process.stderr.write('countersign is not built yet; run: npm ci\n');
  process.exit(3);
}
require(entry);
