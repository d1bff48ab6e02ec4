/**
 * The watcher's program, for any POSIX shell. It keeps a list of process groups, and ends those still listed when its
 * input ends.
 */

/** Seconds between SIGTERM and SIGKILL. */
const TERM_SECONDS = 2

/**
 * Input lines: `+PID` adds a group, `-PID` removes it. A signal to the whole process group must not stop the watcher
 * before the gateway ends. Ended groups leave the list, because the system reuses their numbers. If `sleep` knows no
 * fractions, the pauses are longer.
 */
export const WATCHER_SCRIPT = `
trap '' HUP INT QUIT TERM
listed=' '
while read -r line; do
  pid=\${line#[-+]}
  case $pid in '' | 0 | 1 | *[!0-9]*) continue ;; esac
  case $line in
    +*) case $listed in *" $pid "*) ;; *) listed="$listed$pid " ;; esac ;;
    -*) case $listed in *" $pid "*) listed="\${listed%% $pid *} \${listed#* $pid }" ;; esac ;;
  esac
done
still_there() {
  left=' '
  for pid in $listed; do kill -s 0 -- "-$pid" && left="$left$pid "; done
  listed=$left
  test "$listed" != ' '
}
still_there || exit 0
for pid in $listed; do kill -s TERM -- "-$pid"; done
if sleep 0.1; then pause=0.1 rounds=${TERM_SECONDS * 10}; else pause=1 rounds=${TERM_SECONDS}; fi
while still_there && test "$rounds" -gt 0; do
  sleep "$pause"
  rounds=$((rounds - 1))
done
for pid in $listed; do kill -s KILL -- "-$pid"; done
`
