/** The version in runs and records. A test compares it with the version of the package. */
export const VERSION = '0.1.0';
