package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

var askedManifest = regexp.MustCompile(`^/v2/([^/]+)/manifests/(.+)$`)
var askedBlob = regexp.MustCompile(`^/v2/[^/]+/blobs/sha256:([0-9a-f]{64})$`)
var delayTag = regexp.MustCompile(`^after-([0-9a-z]+)-`)

// imagesOf is as much of a registry as a pull needs. The tag says how slow it is: NAME:after-8s-ANYTHING is answered
// after eight seconds, NAME:absent-ANYTHING never is there, any other tag is the image at once.
func imagesOf(layout string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if found := askedBlob.FindStringSubmatch(r.URL.Path); found != nil {
			http.ServeFile(w, r, filepath.Join(layout, "blobs", "sha256", found[1]))
			return
		}
		found := askedManifest.FindStringSubmatch(r.URL.Path)
		if found == nil {
			if r.URL.Path != "/v2/" {
				http.NotFound(w, r)
			}
			return
		}
		name, reference := found[1], found[2]
		if delay := delayTag.FindStringSubmatch(reference); delay != nil {
			wait, _ := time.ParseDuration(delay[1])
			select {
			case <-time.After(wait):
			case <-r.Context().Done():
				return
			}
		}
		digest := strings.TrimPrefix(reference, "sha256:")
		if digest == reference {
			digest = digestOf(layout, name)
		}
		if digest == "" || strings.HasPrefix(reference, "absent-") {
			http.NotFound(w, r)
			return
		}
		manifest, err := os.ReadFile(filepath.Join(layout, "blobs", "sha256", digest))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
		w.Header().Set("Docker-Content-Digest", "sha256:"+digest)
		w.Write(manifest)
	})
}

// digestOf finds the image whose name ends in NAME, such as localhost/NAME:1.
func digestOf(layout, name string) string {
	var index struct {
		Manifests []struct {
			Digest      string            `json:"digest"`
			Annotations map[string]string `json:"annotations"`
		} `json:"manifests"`
	}
	text, _ := os.ReadFile(filepath.Join(layout, "index.json"))
	json.Unmarshal(text, &index)
	for _, manifest := range index.Manifests {
		full := manifest.Annotations["io.containerd.image.name"]
		if strings.Contains(full, "/"+name+":") {
			return strings.TrimPrefix(manifest.Digest, "sha256:")
		}
	}
	return ""
}
