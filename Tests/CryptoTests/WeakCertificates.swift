/// Certificates that this project cannot make itself, made with the `openssl` command (`openssl x509 -req`), valid for
/// a hundred years.
enum WeakCertificates {
    /// The root that signed the others: P-256 with SHA-256.
    static let root = """
        -----BEGIN CERTIFICATE-----
        MIIBmTCCAT+gAwIBAgIUIfPyChDh8orcplQTEgCesKE/GsowCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOd2VhayBwYXRoIHJvb3QwIBcNMjYxMTIyMTQxODIyWhgPMjEy
        NjEwMjkxNDE4MjJaMBkxFzAVBgNVBAMMDndlYWsgcGF0aCByb290MFkwEwYHKoZI
        zj0CAQYIKoZIzj0DAQcDQgAEyMke2y4vWT18NY3e984fdXchO9m3BZoZ0p/1gzBa
        LAPhGWzFiZXfyw+n2WPKc8LnUQYDZYIP8x3d8uDrjSMzeaNjMGEwHQYDVR0OBBYE
        FF3r+QvJfEEP3afh/aOWqTADH2t/MB8GA1UdIwQYMBaAFF3r+QvJfEEP3afh/aOW
        qTADH2t/MA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMAoGCCqGSM49
        BAMCA0gAMEUCICxFNCKnH5povzYSym1RXToEPGPj7CU+IWzdIjoyBhkWAiEAtmLO
        hxZ8FfNv9I4BGvSQYPGsQNL5YfBBFU3qtjQFESU=
        -----END CERTIFICATE-----
        """

    /// Signed with ECDSA and SHA-1.
    static let signedWithSHA1 = """
        -----BEGIN CERTIFICATE-----
        MIIBaDCCAQ6gAwIBAgIBAjAJBgcqhkjOPQQBMBkxFzAVBgNVBAMMDndlYWsgcGF0
        aCByb290MCAXDTI2MTEyMjE0MTgyM1oYDzIxMjYxMDI5MTQxODIzWjAPMQ0wCwYD
        VQQDDARsZWFmMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEttjrno+UUDtJpdPV
        mG6oedNDQeW4+pZm3LK+PFKDoPk5VRYveH43N1cN4s7QO9DC54uYTWWGp8xEOeTa
        PPSXkKNQME4wDAYDVR0TAQH/BAIwADAdBgNVHQ4EFgQU2eJ2BPXn1GGGi0L4+EV6
        36gig/MwHwYDVR0jBBgwFoAUXev5C8l8QQ/dp+H9o5apMAMfa38wCQYHKoZIzj0E
        AQNJADBGAiEA6TotNEeNISVpFudvaUFRWVsLxcmoBebUz3nwfxhecZUCIQCzczs4
        n93YGWReT+D6SGYaCcGsslzgRok3bCy/QkmwOw==
        -----END CERTIFICATE-----
        """

    /// With an RSA key of 1024 bits.
    static let smallKey = """
        -----BEGIN CERTIFICATE-----
        MIIBsTCCAVagAwIBAgIBBTAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA53ZWFrIHBh
        dGggcm9vdDAgFw0yNjExMjIxNDE4MjNaGA8yMTI2MTAyOTE0MTgyM1owDzENMAsG
        A1UEAwwEbGVhZjCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEA3SlAdvewKLOj
        qqOLOXikmm4xIkDiQOH75cmxoH23rBReU0YH2Sn5CGrkTXzDpWI/nw3EAveK8bkP
        F6RFAnJMNxMEobyIz9Ujb8CDyZO4SuuUFDXqbwZdpCxXdo4i8uf9TbQjnXkkfPHA
        YXEuhmlpG++NZDkPMGSJXvjY0PaPudkCAwEAAaNQME4wDAYDVR0TAQH/BAIwADAd
        BgNVHQ4EFgQU2ts3C5fWLdZ4EDC/pQNbnppfmBcwHwYDVR0jBBgwFoAUXev5C8l8
        QQ/dp+H9o5apMAMfa38wCgYIKoZIzj0EAwIDSQAwRgIhAPguT0804f1n1H2LmdBn
        OTZK96LBi94But6QzdM0hDBWAiEAnQCmKPxSt239YYgsePqZnqBnJE4wixdeHm6n
        XdBvju0=
        -----END CERTIFICATE-----
        """

    /// A certificate, and its issuer with an RSA key of 1024 bits.
    static let underSmallKey = """
        -----BEGIN CERTIFICATE-----
        MIIBoDCCAQmgAwIBAgIBBDANBgkqhkiG9w0BAQsFADAQMQ4wDAYDVQQDDAVzbWFs
        bDAgFw0yNjExMjIxNDE4MjNaGA8yMTI2MTAyOTE0MTgyM1owDzENMAsGA1UEAwwE
        bGVhZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLbY656PlFA7SaXT1ZhuqHnT
        Q0HluPqWZtyyvjxSg6D5OVUWL3h+NzdXDeLO0DvQwueLmE1lhqfMRDnk2jz0l5Cj
        UDBOMAwGA1UdEwEB/wQCMAAwHQYDVR0OBBYEFNnidgT159RhhotC+PhFet+oIoPz
        MB8GA1UdIwQYMBaAFNrbNwuX1i3WeBAwv6UDW56aX5gXMA0GCSqGSIb3DQEBCwUA
        A4GBABerBxVQG5Lfby++UddiNWY9eW6oho/HO/p2h1BZHE3wBTdFXMnDndYEUpeB
        vNsyhZryHe+4N7V9g0bgBDAjrqCGijoZ5xYGFw2xFvVT446CrH8nuW18jTRnnaB2
        d6uQtYwtDGSjxxcRhbnUIcAoVAhI88s3GP4qdk3uLPEfnEgM
        -----END CERTIFICATE-----
        -----BEGIN CERTIFICATE-----
        MIIBxDCCAWqgAwIBAgIBAzAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA53ZWFrIHBh
        dGggcm9vdDAgFw0yNjExMjIxNDE4MjNaGA8yMTI2MTAyOTE0MTgyM1owEDEOMAwG
        A1UEAwwFc21hbGwwgZ8wDQYJKoZIhvcNAQEBBQADgY0AMIGJAoGBAN0pQHb3sCiz
        o6qjizl4pJpuMSJA4kDh++XJsaB9t6wUXlNGB9kp+Qhq5E18w6ViP58NxAL3ivG5
        DxekRQJyTDcTBKG8iM/VI2/Ag8mTuErrlBQ16m8GXaQsV3aOIvLn/U20I515JHzx
        wGFxLoZpaRvvjWQ5DzBkiV742ND2j7nZAgMBAAGjYzBhMA8GA1UdEwEB/wQFMAMB
        Af8wDgYDVR0PAQH/BAQDAgIEMB0GA1UdDgQWBBTa2zcLl9Yt1ngQML+lA1ueml+Y
        FzAfBgNVHSMEGDAWgBRd6/kLyXxBD92n4f2jlqkwAx9rfzAKBggqhkjOPQQDAgNI
        ADBFAiEAkTEJw0+6Oef2J9cpkFIi8U/fG44CKQjeGzguDYzXqcYCIB9pV7tY3LuG
        +UihiIY7wVvQ43PbtajnazElC9IqcJXG
        -----END CERTIFICATE-----
        """
}
