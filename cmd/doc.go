// Package cmd has the commands of redial, one a file: its options, its flags, their checks and its run.
//
// Everything that comes from outside (arguments, streams, environment, signals) is a parameter, so that a test runs a
// command as a function. A command says by its error how it ended; exit.go has the table that turns errors into exit
// statuses, and Run is the one place that does it.
package cmd
