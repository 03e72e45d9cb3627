import SQL

extension IdentityMigrations {
    /// Addresses are stored in their comparison form: with lower-case ASCII letters. `..._folded` has always had that
    /// form, and `accounts_email` makes it unique, so no two accounts get the same address. Links keep the address of
    /// their provider. `new_email` of a code has no folded column: it is folded when it is read, and no code is valid
    /// longer than three days.
    static let lowerCaseEmails = SQLMigration(
        12, "lower-case e-mail addresses",
        """
        UPDATE accounts SET email = email_folded WHERE email <> email_folded;
        UPDATE accounts SET initial_email = initial_email_folded WHERE initial_email <> initial_email_folded;
        UPDATE action_codes SET email = email_folded WHERE email <> email_folded;
        """)
}
