/** Tools that are functions: parameters in, result out. */
export const greetUser = ({ userName }) => `Welcome back, ${userName}`;

export const apologise = ({ reason }) => `We could not help you: ${reason}`;

export const generateSummary = ({ text }) => text.split('. ')[0];
