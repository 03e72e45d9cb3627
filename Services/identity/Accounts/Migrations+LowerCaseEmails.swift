import SQL

extension IdentityMigrations {
    /// Addresses are stored as they are compared: with lower-case ASCII letters. `..._folded` has had that form from the
    /// beginning, and `accounts_email` makes it unique, so no two accounts can meet in one address. Links keep what their
    /// provider told. `new_email` of a code has no folded twin; reading folds it, and no code outlives three days.
    static let lowerCaseEmails = SQLMigration(
        12, "lower-case e-mail addresses",
        """
        UPDATE accounts SET email = email_folded WHERE email <> email_folded;
        UPDATE accounts SET initial_email = initial_email_folded WHERE initial_email <> initial_email_folded;
        UPDATE action_codes SET email = email_folded WHERE email <> email_folded;
        """)
}
