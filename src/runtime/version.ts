/** The version that runs and records carry; a test compares it with the package's own. */
export const VERSION = '0.1.0';
