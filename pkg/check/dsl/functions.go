package dsl

import (
	"maps"
	"slices"
)

// functions are all helpers, by their names without underscores.
var functions = merge(textFunctions, hashFunctions, codecFunctions, numberFunctions, timeFunctions, randomFunctions)

func merge(tables ...map[string]function) map[string]function {
	all := map[string]function{}
	for _, t := range tables {
		maps.Copy(all, t)
	}
	return all
}

// Functions are the names of all functions, sorted, without underscores.
func Functions() []string { return slices.Sorted(maps.Keys(functions)) }
