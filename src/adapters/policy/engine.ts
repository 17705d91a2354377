import { setFlagsFromString } from 'node:v8';

/*
 * The V8 of Node 20 ends the whole process ("unreachable code") when optimized code that has a call of WebAssembly
 * inlined is discarded while that call runs and returns an object, as every call of Cedar does. Without the inlining
 * nothing can be discarded in there; against the work of one call it saves nothing.
 */
setFlagsFromString('--no-turbo-inline-js-wasm-calls');

export * from '@cedar-policy/cedar-wasm/nodejs';
