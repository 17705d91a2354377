/**
 * Real servers, real clocks and two cores: once in a while a machine stalls for longer than a test waits. Such a test is
 * tried once more, and both attempts are printed; a test that fails twice has failed.
 */
jest.retryTimes(1, { logErrorsBeforeRetry: true });
