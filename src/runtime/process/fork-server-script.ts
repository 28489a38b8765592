/**
 * The program of the fork server, in Perl. Of the small interpreters on Linux systems, only Perl starts a process with
 * exactly the given words and variables and reports exactly how it ended. It reads requests from descriptor 3 and ends
 * when that socket closes, so it never outlives its runner. No value is ever part of its text.
 *
 * A request consists of its length in four bytes and of fields that each end with a zero byte:
 *
 *     v NAME VALUE …                                     the variables of all commands from here on
 *     p ID PATH …                                        make named pipes
 *     r ID STDOUT STDERR DIRECTORY COUNT NAME VALUE … PROGRAM WORD …     start a program, with COUNT more variables
 *
 * It answers in lines: `P ID ERRNO` (0: they are made); `S ID PID` from a child directly before it becomes the program,
 * and `F ID ERRNO` if that fails; `T ID TICKS`, the time when the child was made (-1: unknown); `X ID STATUS` when it
 * has ended, with the status as `wait` gives it.
 */
export const FORK_SERVER_SCRIPT = `
use strict;
$0 = 'statedsl-fork-server';
my ($setsid, $sigprocmask, $signalfd, $mknodat) = @ARGV;
my ($control, $ended);
open($control, '+<&=', 3) && fcntl($control, 2, 1) or exit 1;
# An ended child makes a descriptor readable, so that one select waits for children and for requests.
my ($sigchld, $none) = (pack('Q', 1 << 16), pack('Q', 0));
syscall($sigprocmask, 2, $sigchld, 0, 8) == 0 or exit 1;
my $signals = syscall($signalfd, -1, $sigchld, 8, 02000000);
open($ended, '<&=', $signals) && fcntl($ended, 2, 1) or exit 1;
my $wanted = '';
vec($wanted, $_, 1) = 1 for 3, $signals;
my ($buffer, %children) = ('');

sub answer {
  my $line = join(' ', @_) . "\\n";
  syswrite($control, $line) == length $line or exit 1;
}

sub make_pipes {
  my $id = shift;
  my ($before, $failed) = (umask 0, 0);
  for my $path (@_) {
    next if syscall($mknodat, -100, $path, 010600, 0) == 0;
    $failed = $! + 0;
    last;
  }
  umask $before;
  answer('P', $id, $failed);
}

sub started_at {
  open(my $file, '<', "/proc/$_[0]/stat") or return -1;
  sysread($file, my $stat, 4096) or return -1;
  return (split ' ', substr($stat, 2 + rindex $stat, ')'))[19];
}

sub become {
  my ($id, $stdout, $stderr, $directory, $count) = splice @_, 0, 5;
  syscall($setsid);
  syscall($sigprocmask, 2, $none, 0, 8);
  while ($count-- > 0) {
    my ($name, $value) = splice @_, 0, 2;
    $ENV{$name} = $value;
  }
  # A pipe that nobody reads any more is not waited for: the runner is gone.
  if (sysopen(STDOUT, $stdout, 04001) && fcntl(STDOUT, 4, 1) && sysopen(STDERR, $stderr, 04001) && fcntl(STDERR, 4, 1)
    && chdir $directory) {
    answer('S', $id, $$);
    exec { $_[0] } @_;
  }
  answer('F', $id, $! + 0);
  exit 127;
}

sub start {
  my $pid = fork;
  if (!defined $pid) {
    answer('F', $_[0], $! + 0);
    answer('X', $_[0], 0);
  } elsif ($pid == 0) {
    become(@_);
  } else {
    $children{$pid} = $_[0];
    # Looked up here and not by the child, which need not wait for it.
    answer('T', $_[0], started_at($pid));
  }
}

for (;;) {
  select(my $ready = $wanted, undef, undef, undef) > 0 or next;
  if (vec($ready, 3, 1)) {
    sysread($control, $buffer, 262144, length $buffer) or exit 0;
    while (length $buffer >= 4 && length $buffer >= 4 + unpack 'L', $buffer) {
      my @fields = split /\\0/, substr(substr($buffer, 0, 4 + unpack('L', $buffer), ''), 4), -1;
      pop @fields;
      my $kind = shift @fields;
      if ($kind eq 'r') { start(@fields) }
      elsif ($kind eq 'v') { %ENV = @fields }
      else { make_pipes(@fields) }
    }
  }
  if (vec($ready, $signals, 1)) {
    sysread($ended, my $which, 4096);
    while ((my $pid = waitpid(-1, 1)) > 0) {
      my $status = $?;
      my $id = delete $children{$pid};
      answer('X', $id, $status) if defined $id;
    }
  }
}
`;
